'use strict'

// Finds the values of a JSON text without parsing them: a source map contains its sources, tens of megabytes that are not needed. Values that are not
// read are not validated. Pure.

const { endOfText, parseBounded } = require('../base/shapes')

/** @typedef {{ from: number, to: number }} Span  of bytes */

const QUOTE = 0x22
const COMMA = 0x2C
const COLON = 0x3A
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5B, 0x5D]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7B, 0x7D]
const SPACES = new Set([0x20, 0x09, 0x0A, 0x0D])

/**
 * @param {Buffer} bytes
 * @param {readonly string[]} names  of the members that are wanted: there may be millions of others
 * @param {Span} [span]
 * @returns {Map<string, Span> | null} those members of an object, the last one of each name; null where it is none
 */
function objectSpans (bytes, names, { from, to } = { from: 0, to: bytes.length }) {
  let at = skipSpaces(bytes, from, to)
  if (bytes[at] !== OPEN_OBJECT) return null
  /** @type {Map<string, Span>} */
  const members = new Map()
  const longest = Math.max(...names.map(name => name.length)) + 2 // with its quotes
  at = skipSpaces(bytes, at + 1, to)
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfText(bytes, at, to)
    const colon = skipSpaces(bytes, nameEnd, to)
    if (bytes[colon] !== COLON) return null
    const value = skipSpaces(bytes, colon + 1, to)
    const end = skipValue(bytes, value, to)
    const name = nameEnd - at <= longest ? bytes.toString('latin1', at + 1, nameEnd - 1) : ''
    if (names.includes(name)) members.set(name, { from: value, to: end })
    at = skipSpaces(bytes, end, to)
    if (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1, to)
  }
  return bytes[at] === CLOSE_OBJECT ? members : null
}

/**
 * @param {Buffer} bytes
 * @param {Span} span
 * @param {number} max  how many elements there may be
 * @returns {Span[] | null} the elements of an array; null where it is none, or has more
 */
function arraySpans (bytes, { from, to }, max) {
  if (bytes[from] !== OPEN_ARRAY) return null
  /** @type {Span[]} */
  const elements = []
  let at = skipSpaces(bytes, from + 1, to)
  while (at < to && bytes[at] !== CLOSE_ARRAY) {
    const end = skipValue(bytes, at, to)
    if (end === at || elements.length === max) return null
    elements.push({ from: at, to: end })
    at = skipSpaces(bytes, end, to)
    if (bytes[at] === COMMA) at = skipSpaces(bytes, at + 1, to)
  }
  return elements
}

/**
 * @param {Buffer} bytes
 * @param {number} from  where it begins
 * @param {number} to
 * @returns {number} where it ends
 */
function skipValue (bytes, from, to) {
  if (bytes[from] === QUOTE) return endOfText(bytes, from, to)
  let depth = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at, to) - 1
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT)) return at
    else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && --depth === 0) return at + 1
  }
  return to
}

/** @param {Buffer} bytes @param {number} from @param {number} to */
function skipSpaces (bytes, from, to) {
  let at = from
  while (at < to && SPACES.has(bytes[at])) at++
  return at
}

/**
 * A value, where it takes no more memory than a list of texts of its length.
 * @param {Buffer} bytes
 * @param {Span} span
 * @returns {any}
 * @throws SyntaxError, or RangeError
 */
function parseSpan (bytes, { from, to }) {
  return parseBounded(bytes.subarray(from, to))
}

module.exports = { arraySpans, objectSpans, parseSpan }
