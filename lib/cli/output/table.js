'use strict'

// Rows as columns of text, as wide as there is room. Names come from the other process: none may break a line. Pure.

const { printable } = require('./text')

const GAP = '  '
const INDENT = '    ' // of a column that stands below its row
const MIN_TEXT = 10 // characters: of less, a text tells nothing
const MIN_PLACE = 36 // a call and where it is
const MIN_BEFORE_PLACE = 8

const WIDE_OPTION = Object.freeze({ type: /** @type {const} */ ('boolean'), meaning: 'cut nothing to fit the width' })

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {boolean} [isNumber]       to the right, and never cut
 * @property {boolean} [isWhole]        never cut: a time, a name to copy
 * @property {boolean} [endsWithPlace]  what does not fit is left out before the place
 * @property {(row: any) => string} cell
 *
 * @typedef {Column & { width: number, min: number }} Measured
 */

/**
 * @param {readonly Column[]} columns
 * @param {readonly any[]} rows
 * @param {number} [width]  of the terminal. The widest texts are cut to fit; the last columns stand below their row where even that is
 *   too little
 * @returns {string[]} lines, the first with the titles
 */
function tableLines (columns, rows, width = Infinity) {
  const texts = [columns.map(({ title }) => title), ...rows.map(row => columns.map(({ cell }) => printable(cell(row))))]
  const measured = columns.map((column, index) => measure(column, texts.reduce((width, cells) => Math.max(width, cells[index].length), 0)))
  let inRow = columns.length
  while (inRow > 1 && lengthOf(measured.slice(0, inRow).map(({ min }) => min)) > width) inRow--
  const shown = [...narrowed(measured.slice(0, inRow), width), ...measured.slice(inRow)]
  return texts.flatMap(cells => [
    shown.slice(0, inRow).map((column, index) => padded(fit(cells[index], column.width, column), column)).join(GAP).trimEnd(),
    ...shown.slice(inRow).map((column, index) => INDENT + fit(cells[inRow + index], width - INDENT.length, column))
  ])
}

/**
 * @param {Column} column
 * @param {number} width
 * @returns {Measured}
 */
function measure (column, width) {
  const { title, isNumber, isWhole, endsWithPlace } = column
  const least = endsWithPlace ? MIN_PLACE : Math.max(MIN_TEXT, title.length)
  return { ...column, width, min: isNumber || isWhole ? width : Math.min(width, least) }
}

/** @param {number[]} widths */
function lengthOf (widths) {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
}

/**
 * @param {Measured[]} columns
 * @param {number} width
 * @returns {Measured[]} the widest are made narrower until all fit
 */
function narrowed (columns, width) {
  const narrow = columns.map(column => ({ ...column }))
  for (let excess = lengthOf(narrow.map(column => column.width)) - width; excess > 0; excess--) {
    const [widest] = narrow.filter(column => column.width > column.min).sort((left, right) => right.width - left.width)
    if (widest === undefined) break
    widest.width--
  }
  return narrow
}

/**
 * @param {string} text
 * @param {Column & { width: number }} column
 */
function padded (text, { isNumber, width }) {
  return isNumber ? text.padStart(width) : text.padEnd(width)
}

/**
 * @param {string} text
 * @param {number} width
 * @param {Pick<Column, 'isNumber' | 'isWhole' | 'endsWithPlace'>} [column]
 */
function fit (text, width, { isNumber, isWhole, endsWithPlace } = {}) {
  if (text.length <= width || isNumber || isWhole) return text
  const room = Math.max(0, width - 1)
  if (!endsWithPlace) return `${text.slice(0, room)}…`
  const placeLength = text.length - text.lastIndexOf(' ') - 1
  const kept = Math.max(Math.floor(room / 2), Math.min(placeLength, room - MIN_BEFORE_PLACE))
  return `${text.slice(0, room - kept)}…${text.slice(text.length - kept)}`
}

module.exports = { WIDE_OPTION, fit, tableLines }
