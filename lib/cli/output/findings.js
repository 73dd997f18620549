'use strict'

// Prints findings: all of one process, or the first one of each of several.

const { NAME_COLUMNS, headline, inPieces, labelOf } = require('../../shared/findings/show')
const { PID_COLUMN } = require('./display')
const { wrapped } = require('../../base/printable')

/** @import { Findings } from '../../../types/findings' */
/** @import { Answer } from '../../shared/findings/show' */
/** @import { Part, Terminal } from './terminal' */

/** @type {Readonly<Record<string, Parameters<Terminal['paint']>[0]>>} */
const COLORS = Object.freeze({ CRITICAL: 'red', WARNING: 'yellow', NOTE: 'cyan', OK: 'green', EARLIER: 'yellow' })

/**
 * @param {Answer} answer
 * @param {Pick<Terminal, 'columns' | 'paint'>} terminal
 * @param {string} [head]  the headline; may have several lines
 * @returns {(Part | Part[])[]}
 */
function findingLines (answer, terminal, head = headline(/** @type {Findings} */ (answer))) {
  const width = terminal.columns()
  const pieces = inPieces(answer).flatMap(({ label, title, lines }, index) => {
    const number = `${index + 1}. `
    const [first, ...rest] = wrapped(`${number}${label}: ${title}`, width, ' '.repeat(number.length))
    return [
      '',
      [number, terminal.paint(COLORS[label.split(',')[0]], label), terminal.paint('bold', first.slice(number.length + label.length))],
      ...rest.map(line => terminal.paint('bold', line)),
      ...lines.flatMap(({ text, isCommand }) => isCommand ? [text] : wrapped(text, width, ' '.repeat(NAME_COLUMNS), NAME_COLUMNS))
    ]
  })
  return [...head.split('\n').flatMap(line => wrapped(line, width)), ...pieces]
}

/** @param {Answer} answer @param {Terminal} terminal @param {string} [head] */
function showFindings (answer, terminal, head) {
  for (const line of findingLines(answer, terminal, head)) terminal.line(line)
}

/** @param {readonly Findings[]} answers @param {Terminal} terminal */
function showAll (answers, terminal) {
  terminal.table([
    PID_COLUMN,
    { title: 'NAME', cell: ({ appName }) => appName },
    { title: 'FINDING', isWrapped: true, cell: ({ findings: [first] }) => `${labelOf(first)}: ${first.title}` }
  ], answers)
  terminal.note('`loopscope why <pid>` shows all findings of a process')
}

module.exports = { findingLines, showAll, showFindings }
