'use strict'

// Which rows of a difference are printed: those that changed, the most first chosen; and what is said of the others.

const { tableLines } = require('../output/table')

/** @import { Column } from '../output/table' */
/** @import { Invocation } from '../commands' */

const MAX_ROWS = 30

/**
 * @template Row
 * @param {readonly Row[]} rows
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {{ columns: readonly Column[], changeOf: (row: Row) => number, least: number, leastInWords: string }} how
 *   changeOf: how far it changed, 0 or more; least: what counts as a change
 */
function printRows (rows, { values, terminal }, { columns, changeOf, least, leastInWords }) {
  const changed = values.all ? rows : rows.filter(row => changeOf(row) >= least)
  const furthest = [...changed].sort((left, right) => changeOf(right) - changeOf(left)).slice(0, values.all ? Infinity : MAX_ROWS)
  const isShown = new Set(furthest)
  const shown = changed.filter(row => isShown.has(row))
  const lines = shown.length === 0 ? ['nothing changed'] : tableLines(columns, shown, terminal.columns())
  for (const line of lines) terminal.line(line)
  const [same, more] = [rows.length - changed.length, changed.length - shown.length]
  if (more > 0) terminal.line(`${more} more ${more === 1 ? 'row' : 'rows'} that changed less; --all shows them`)
  if (same > 0) terminal.line(`${same} ${same === 1 ? 'row' : 'rows'} that ${leastInWords}; --all shows them`)
}

module.exports = { printRows }
