'use strict'

// Formats rows as a table that fits the width of the terminal. Cells may hold names from other processes: none may break a line. Pure.

const { printable, wrapped } = require('../../base/printable')

const GAP = '  '
const INDENT = '    ' // of a column that is moved below its row
const MIN_TEXT = 10 // characters: less is unreadable
const MIN_LOCATION = 36 // a function and its location
const MIN_BEFORE_LOCATION = 8
const MIN_WRAPPED = 30
const LOCATION_END = /:\d+\)?$/
const CALLER = ' called by ' // the function after it is the one to change

const WIDE_OPTION = Object.freeze({ type: /** @type {const} */ ('boolean'), meaning: 'do not cut texts to fit the width' })

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {boolean} [isNumber]       aligned right, and never cut
 * @property {boolean} [isWhole]        never cut: a time, or a name to copy
 * @property {boolean} [endsWithLocation]  the location at the end, with its function if there is room, is kept when the text is cut
 * @property {boolean} [isPath]       cut at its beginning
 * @property {boolean} [isWrapped]    prose, which continues on the next line; only of the last column
 * @property {boolean} [isCutLast]      cut only where all others are as narrow as they can be
 * @property {(row: any) => string} cell
 *
 * @typedef {Column & { width: number, min: number }} Measured
 */

/**
 * @param {readonly Column[]} columns
 * @param {readonly any[]} rows
 * @param {number} [width]  of the terminal. The widest texts are cut to fit; where that is not enough, the last columns are moved
 *   below their row
 * @returns {{ titles: string[], lines: string[] }}
 */
function tableOf (columns, rows, width = Infinity) {
  const texts = [columns.map(({ title }) => title), ...rows.map(row => columns.map(({ cell }) => printable(cell(row))))]
  const measured = columns.map((column, index) => measure(column, texts.map(cells => cells[index])))
  let inRow = columns.length
  while (inRow > 1 && lengthOf(measured.slice(0, inRow).map(({ min }) => min)) > width) inRow--
  const shown = [...narrowed(measured.slice(0, inRow), width), ...measured.slice(inRow)]
  const [titles, ...lines] = texts.map(cells => [
    ...rowLines(cells, shown.slice(0, inRow)),
    ...movedLines(cells.slice(inRow), shown.slice(inRow), width)
  ])
  return { titles, lines: lines.flat() }
}

/**
 * @param {readonly string[]} cells
 * @param {readonly Measured[]} columns  that have no room in the row
 * @param {number} width
 * @returns {string[]} below the row: numbers beside each other, anything else on a line of its own
 */
function movedLines (cells, columns, width) {
  const lines = []
  for (let from = 0, to = 0; from < columns.length; from = to) {
    to = from + 1
    while (columns[from].isNumber && columns[to]?.isNumber && INDENT.length + lengthOf(columns.slice(from, to + 1).map(column => column.width)) <= width) to++
    const [column, text] = [columns[from], cells[from]]
    if (column.isWrapped) lines.push(...wrapped(INDENT + text, width, INDENT))
    else if (to === from + 1) lines.push(INDENT + fit(text, width - INDENT.length, column))
    else lines.push(INDENT + rowLines(cells.slice(from, to), columns.slice(from, to))[0])
  }
  return lines
}

/** @param {readonly string[]} cells @param {readonly Measured[]} columns */
function rowLines (cells, columns) {
  const row = columns.map((column, index) => padded(column.isWrapped ? '' : fit(cells[index], column.width, column), column)).join(GAP)
  const last = columns.length - 1
  if (!columns[last].isWrapped) return [row.trimEnd()]
  const begin = row.length - columns[last].width
  return wrapped(row.slice(0, begin) + cells[last], row.length, ' '.repeat(begin), begin)
}

/** @type {(columns: readonly Column[], rows: readonly any[], width?: number) => string[]} */
function tableLines (columns, rows, width) {
  const { titles, lines } = tableOf(columns, rows, width)
  return [...titles, ...lines]
}

/** @param {Column} column @param {readonly string[]} texts @returns {Measured} */
function measure (column, texts) {
  const { title, isNumber, isWhole, isWrapped, endsWithLocation } = column
  const longest = (/** @type {readonly string[]} */ all) => all.reduce((length, text) => Math.max(length, text.length), 0)
  const width = longest(texts)
  const least = endsWithLocation
    ? Math.min(MIN_LOCATION, MIN_BEFORE_LOCATION + longest(texts.map(locationOf)))
    : Math.max(isWrapped ? MIN_WRAPPED : MIN_TEXT, title.length)
  return { ...column, width, min: isNumber || isWhole ? width : Math.min(width, least) }
}

/** @param {string} text  that ends with one */
function locationOf (text) {
  return text.slice(text.lastIndexOf(' ') + 1)
}

/** @param {string} text  that ends with a location: with the function in which it is */
function functionOf (text) {
  const caller = text.lastIndexOf(CALLER)
  if (caller !== -1) return text.slice(caller + CALLER.length)
  return text.slice(text.lastIndexOf(' ', text.lastIndexOf(' ') - 1) + 1)
}

/** @param {string} text  that ends with one: what is before its function @returns {string} without the words in between, of which half says nothing */
function callOf (text) {
  return text.slice(0, Math.max(0, text.lastIndexOf(CALLER))) || text
}

/** @param {number[]} widths */
function lengthOf (widths) {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
}

/**
 * @param {Measured[]} columns
 * @param {number} width
 * @returns {Measured[]} the widest columns are made narrower until all fit, those that are cut last after the others
 */
function narrowed (columns, width) {
  const narrow = columns.map(column => ({ ...column }))
  for (let excess = lengthOf(narrow.map(column => column.width)) - width; excess > 0; excess--) {
    const [widest] = narrow.filter(column => column.width > column.min)
      .sort((left, right) => Number(left.isCutLast ?? false) - Number(right.isCutLast ?? false) || right.width - left.width)
    if (widest === undefined) break
    widest.width--
  }
  return narrow
}

/** @param {string} text @param {Column & { width: number }} column */
function padded (text, { isNumber, width }) {
  return isNumber ? text.padStart(width) : text.padEnd(width)
}

/**
 * @param {string} text
 * @param {number} width
 * @param {Pick<Column, 'isNumber' | 'isWhole' | 'endsWithLocation' | 'isPath'>} [column]
 */
function fit (text, width, { isNumber, isWhole, endsWithLocation, isPath } = {}) {
  if (text.length <= width || isNumber || isWhole) return text
  const room = Math.max(0, width - 1)
  if (isPath) return `…${text.slice(text.length - room)}`
  if (!endsWithLocation || !LOCATION_END.test(text)) return `${text.slice(0, room)}…`
  const end = functionOf(text)
  if (end.length < room && end !== text) return `${callOf(text).slice(0, room - end.length - 1)}… ${end}`
  const from = text.includes(CALLER) ? end : text
  if (from.length <= width) return from
  const kept = Math.max(Math.floor(room / 2), Math.min(locationOf(from).length, room - MIN_BEFORE_LOCATION))
  return `${from.slice(0, room - kept)}…${from.slice(from.length - kept)}`
}

module.exports = { WIDE_OPTION, fit, tableLines, tableOf }
