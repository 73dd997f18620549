'use strict'

// A source map that was read: its sections, and what some places of the generated code were written as. Pure. A map is data of whoever
// built the application: nothing of it is believed before it is looked at.

const { COLUMN, LINE, NAME, NONE, SIZE, SOURCE, SOURCE_COLUMN, decodeLines, indexAt } = require('./decode-lines')

/** @import { Segments } from './decode-lines' */

/**
 * @typedef {object} Section  of a map: most have one
 * @property {number} line    of the generated code where it begins, from 0
 * @property {number} column
 * @property {string} mappings
 * @property {(string | null)[]} sources
 * @property {string[]} names
 *
 * @typedef {object} Wanted  a place of the generated code
 * @property {number} line    from 0
 * @property {number | null} column  from 0; null for the line as a whole
 *
 * @typedef {object} Segment  what the place was written as, from 0
 * @property {string} source
 * @property {number} line
 * @property {number} column
 * @property {{ column: number, name: string }[]} namesBefore  identifiers of the generated line that had another name, up to the place, nearest first
 */

// Names that belong to a function stand before its parameters: `const a=async function(`.
const MAX_NAME_DISTANCE = 40
// A line of the generated code that comes from more lines than these is a bundle's, and says nothing of any of them.
const MAX_LINES_OF_ONE = 20

/**
 * @param {string} text
 * @returns {Section[]} in order of place
 * @throws {SyntaxError} where it is no source map
 */
function parseSections (text) {
  const map = JSON.parse(text.replace(/^\uFEFF?(\)\]\}'.*\n)?/, '')) // what keeps browsers from running it
  if (!isObject(map)) throw new SyntaxError('no object')
  if (map.sections === undefined) return [toSection(map, { line: 0, column: 0 })]
  if (!Array.isArray(map.sections)) throw new SyntaxError('no sections')
  const sections = map.sections.map((/** @type {any} */ section) => toSection(section?.map, section?.offset))
  return sections.sort((/** @type {Section} */ left, /** @type {Section} */ right) => left.line - right.line || left.column - right.column)
}

/**
 * @param {any} map
 * @param {any} offset
 * @returns {Section}
 */
function toSection (map, offset) {
  if (!isObject(map) || typeof map.mappings !== 'string' || !Array.isArray(map.sources)) throw new SyntaxError('no mappings')
  if (!isCount(offset?.line) || !isCount(offset?.column)) throw new SyntaxError('no offset')
  const root = typeof map.sourceRoot === 'string' && map.sourceRoot !== '' ? map.sourceRoot.replace(/\/?$/, '/') : ''
  return {
    line: offset.line,
    column: offset.column,
    mappings: map.mappings,
    sources: map.sources.map((/** @type {unknown} */ source) => typeof source === 'string' ? root + source : null),
    names: Array.isArray(map.names) ? map.names : []
  }
}

/**
 * @param {Section[]} sections
 * @param {Wanted[]} wanted
 * @returns {(Segment | null)[]}
 */
function locate (sections, wanted) {
  /** @type {Map<Section, number[]>} */
  const bySection = new Map()
  for (const [index, place] of wanted.entries()) {
    const section = sections.findLast(({ line, column }) => line < place.line || (line === place.line && column <= (place.column ?? Infinity)))
    if (section !== undefined) bySection.set(section, [...bySection.get(section) ?? [], index])
  }
  /** @type {(Segment | null)[]} */
  const found = wanted.map(() => null)
  for (const [section, indexes] of bySection) {
    const lines = decodeLines(section.mappings, new Set(indexes.map(index => wanted[index].line - section.line)))
    for (const index of indexes) {
      const { line, column } = wanted[index]
      const segments = /** @type {Segments} */ (lines.get(line - section.line) ?? new Int32Array())
      const shift = line === section.line ? section.column : 0
      found[index] = column === null ? wholeLine(section, segments) : placeAt(section, segments, column - shift, shift)
    }
  }
  return found
}

/**
 * @param {Section} section
 * @param {Segments} segments
 * @param {number} column
 * @param {number} shift  of the section's columns in this line
 * @returns {Segment | null}
 */
function placeAt (section, segments, column, shift) {
  const index = indexAt(segments, column)
  const at = index === NONE ? null : read(section, segments, index)
  return at === null ? null : { ...at, namesBefore: namesBefore(section, segments, index, column, shift) }
}

/**
 * @param {Section} section
 * @param {Segments} segments
 * @returns {Segment | null}
 */
function wholeLine (section, segments) {
  /** @type {Segment | null} */
  let first = null
  for (let index = 0; index < segments.length / SIZE; index++) {
    const at = read(section, segments, index)
    if (at === null) continue
    first ??= at
    if (at.source !== first.source || Math.abs(at.line - first.line) > MAX_LINES_OF_ONE) return null
  }
  return first
}

/**
 * @param {Section} section
 * @param {Segments} segments
 * @param {number} index
 * @returns {Segment | null}
 */
function read ({ sources }, segments, index) {
  const from = index * SIZE
  const source = sources[segments[from + SOURCE]] ?? null
  const line = segments[from + LINE]
  const column = segments[from + SOURCE_COLUMN]
  return source === null || line < 0 || column < 0 ? null : { source, line, column, namesBefore: [] }
}

/**
 * @param {Section} section
 * @param {Segments} segments
 * @param {number} index
 * @param {number} column
 * @param {number} shift
 */
function namesBefore ({ names }, segments, index, column, shift) {
  const found = []
  for (let at = index; at >= 0 && segments[at * SIZE + COLUMN] >= column - MAX_NAME_DISTANCE; at--) {
    const name = names[segments[at * SIZE + NAME]]
    if (typeof name === 'string') found.push({ column: segments[at * SIZE + COLUMN] + shift, name })
  }
  return found
}

/** @param {unknown} value */
function isObject (value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @param {unknown} value */
function isCount (value) {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

module.exports = { locate, parseSections }
