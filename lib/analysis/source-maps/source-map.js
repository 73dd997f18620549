'use strict'

// A source map that was read, and what some places of the generated code were written as. Pure. A map is data of whoever built the
// application: nothing of it is believed before it is looked at.

const { FlattenMap, decodedMappings, traceSegment } = require('@jridgewell/trace-mapping')

/** @import { SourceMapInput, SourceMapSegment, TraceMap } from '@jridgewell/trace-mapping' */

/**
 * @typedef {object} Wanted  a place of the generated code
 * @property {number} line    from 0
 * @property {number | null} column  from 0; null for the line as a whole
 *
 * @typedef {object} Segment  what the place was written as, from 0
 * @property {string} source
 * @property {number} line
 * @property {number} column
 * @property {{ column: number, name: string }[]} namesBefore  identifiers of the generated line that had another name, up to the
 *   place, nearest first
 */

// Names that belong to a function stand before its parameters: `const a=async function(`.
const MAX_NAME_DISTANCE = 40
// A line of the generated code that comes from more lines than these is a bundle's, and says nothing of any of them.
const MAX_LINES_OF_ONE = 20
// The library makes an array for each line of the generated code, also for those before a section.
const MAX_LINES = 5_000_000
// It takes other characters for zeros.
const MAPPINGS = /^[\w+/,;]*$/

/**
 * @param {string} text
 * @returns {TraceMap}
 * @throws where it is no source map
 */
function parseMap (text) {
  const map = JSON.parse(text.replace(/^\uFEFF?(\)\]\}'.*\n)?/, '')) // what keeps browsers from running it
  if (!isObject(map)) throw new SyntaxError('no object')
  if (map.sections === undefined) return new FlattenMap(checked(map))
  if (!Array.isArray(map.sections)) throw new SyntaxError('no sections')
  const given = /** @type {any[]} */ (map.sections)
  const sections = given.map(section => ({ offset: checkedOffset(section?.offset), map: checked(section?.map) }))
  sections.sort((left, right) => left.offset.line - right.offset.line || left.offset.column - right.offset.column)
  return new FlattenMap(/** @type {any} */ ({ version: 3, sections }))
}

/**
 * @param {any} map
 * @returns {SourceMapInput}
 */
function checked (map) {
  if (!isObject(map) || typeof map.mappings !== 'string' || !Array.isArray(map.sources)) throw new SyntaxError('no mappings')
  if (!MAPPINGS.test(map.mappings)) throw new SyntaxError('no base64')
  return {
    version: 3,
    sources: map.sources.map((/** @type {unknown} */ source) => typeof source === 'string' ? source : ''),
    names: Array.isArray(map.names) ? map.names : [],
    mappings: map.mappings,
    ...(typeof map.sourceRoot === 'string' && { sourceRoot: map.sourceRoot })
  }
}

/** @param {any} offset */
function checkedOffset (offset) {
  const { line, column } = offset ?? {}
  if (!isCount(line) || !isCount(column)) throw new SyntaxError('no offset')
  if (line > MAX_LINES) throw new RangeError('no script has so many lines')
  return { line, column }
}

/**
 * @param {TraceMap} map
 * @param {Wanted} wanted
 * @returns {Segment | null}
 */
function locate (map, { line, column }) {
  const segments = decodedMappings(map)[line] ?? []
  if (column === null) return wholeLine(map, segments)
  const segment = traceSegment(map, line, column)
  const at = segment === null ? null : toPlace(map, segment)
  return at === null ? null : { ...at, namesBefore: namesBefore(map, segments, column) }
}

/**
 * @param {TraceMap} map
 * @param {readonly SourceMapSegment[]} segments
 * @returns {Segment | null}
 */
function wholeLine (map, segments) {
  /** @type {Segment | null} */
  let first = null
  for (const segment of segments) {
    const at = toPlace(map, segment)
    if (at === null) continue
    first ??= at
    if (at.source !== first.source || Math.abs(at.line - first.line) > MAX_LINES_OF_ONE) return null
  }
  return first
}

/**
 * @param {TraceMap} map
 * @param {Readonly<SourceMapSegment>} segment
 * @returns {Segment | null}
 */
function toPlace ({ resolvedSources }, segment) {
  if (segment.length === 1) return null
  const [, index, line, column] = segment
  const source = resolvedSources[index]
  return !source || line < 0 || column < 0 ? null : { source, line, column, namesBefore: [] }
}

/**
 * @param {TraceMap} map
 * @param {readonly SourceMapSegment[]} segments  of one line, in order
 * @param {number} column
 */
function namesBefore ({ names }, segments, column) {
  const found = []
  for (let at = segments.findLastIndex(([from]) => from <= column); at >= 0 && segments[at][0] >= column - MAX_NAME_DISTANCE; at--) {
    const [from, , , , index] = segments[at]
    const name = index === undefined ? undefined : names[index]
    if (typeof name === 'string') found.push({ column: from, name })
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

module.exports = { locate, parseMap }
