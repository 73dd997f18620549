'use strict'

// The segments of some lines of a source map, read out of its `mappings`. Pure. Libraries, and Node's own SourceMap, decode the whole
// map into an array for each segment: ten times the file in memory, where a profile asks for a few hundred places. Here the string
// is gone through once, and what is kept is five numbers a segment of the lines that are asked for.

/**
 * @typedef {Int32Array} Segments  of one line, in order of their column: SIZE numbers each, counted from 0, NONE where there is none
 */

const COLUMN = 0
const SOURCE = 1
const LINE = 2
const SOURCE_COLUMN = 3
const NAME = 4
const SIZE = 5
const NONE = -1

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const INVALID = 255
const VALUE_OF = new Uint8Array(128).fill(INVALID)
for (const [value, digit] of [...DIGITS].entries()) VALUE_OF[digit.charCodeAt(0)] = value

const COMMA = 44
const SEMICOLON = 59
const DIGIT_BITS = 5
const GOES_ON = 32
const MAX_SHIFT = 30

/**
 * @param {string} mappings
 * @param {ReadonlySet<number>} lines  generated ones, from 0
 * @returns {Map<number, Segments>}
 * @throws for what is not base64 VLQ
 */
function decodeLines (mappings, lines) {
  /** @type {Map<number, Segments>} */
  const found = new Map()
  const last = Math.max(...lines)
  const state = [0, 0, 0, 0, 0]
  let at = 0
  for (let line = 0; line <= last && at <= mappings.length; line++) {
    const row = lines.has(line) ? new Row() : null
    state[COLUMN] = 0
    at = decodeLine(mappings, at, state, row) + 1
    if (row !== null) found.set(line, row.segments())
  }
  return found
}

/**
 * @param {string} mappings
 * @param {number} from
 * @param {number[]} state  the values so far, which each segment adds to
 * @param {Row | null} row  takes the segments
 * @returns {number} where the line ends
 */
function decodeLine (mappings, from, state, row) {
  let field = 0
  let value = 0
  let shift = 0
  for (let at = from; ; at++) {
    const code = at < mappings.length ? mappings.charCodeAt(at) : SEMICOLON
    if (code === COMMA || code === SEMICOLON) {
      if (shift !== 0) throw new SyntaxError('a number ends early')
      if (field !== 0) row?.add(state, field)
      field = 0
      if (code === SEMICOLON) return at
      continue
    }
    const digit = code < VALUE_OF.length ? VALUE_OF[code] : INVALID
    if (digit === INVALID || shift > MAX_SHIFT || field === SIZE) throw new SyntaxError('what is no number')
    value += (digit & (GOES_ON - 1)) << shift
    if (digit & GOES_ON) {
      shift += DIGIT_BITS
      continue
    }
    state[field++] += value & 1 ? -(value >>> 1) : value >>> 1
    value = shift = 0
  }
}

/** Numbers that grow. */
class Row {
  #numbers = new Int32Array(64 * SIZE)
  #length = 0
  #isSorted = true

  /**
   * @param {number[]} state
   * @param {number} fields  how many of them the segment has: 1, 4 or 5
   */
  add (state, fields) {
    if (this.#length === this.#numbers.length) this.#grow()
    const before = this.#length === 0 ? NONE : this.#numbers[this.#length - SIZE]
    if (state[COLUMN] < before) this.#isSorted = false
    for (let field = 0; field < SIZE; field++) {
      const isThere = field === COLUMN || (fields >= NAME && field < fields)
      this.#numbers[this.#length++] = isThere ? state[field] : NONE
    }
  }

  /** @returns {Segments} */
  segments () {
    const numbers = this.#numbers.subarray(0, this.#length)
    return this.#isSorted ? numbers : sorted(numbers)
  }

  #grow () {
    const larger = new Int32Array(this.#numbers.length * 2)
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}

/** @param {Segments} numbers */
function sorted (numbers) {
  const rows = Array.from({ length: numbers.length / SIZE }, (_, index) => numbers.subarray(index * SIZE, (index + 1) * SIZE))
  return Int32Array.from(rows.sort((left, right) => left[COLUMN] - right[COLUMN]).flatMap(row => [...row]))
}

/**
 * @param {Segments} segments
 * @param {number} column
 * @returns {number} the index of the last segment that begins at or before the column; NONE where there is none
 */
function indexAt (segments, column) {
  let low = 0
  let high = segments.length / SIZE
  while (low < high) {
    const middle = (low + high) >>> 1
    if (segments[middle * SIZE + COLUMN] <= column) low = middle + 1
    else high = middle
  }
  return low - 1
}

module.exports = { COLUMN, LINE, NAME, NONE, SIZE, SOURCE, SOURCE_COLUMN, decodeLines, indexAt }
