'use strict'

// Decodes the mappings of a source map (base64 VLQ, ECMA-426), only at the requested positions. Each number is relative to the one before, so
// everything before a position has to be read once; the state is stored every few kilobytes, where later requests continue. No object is created per
// line or segment. Pure.

const MARK_BYTES = 16_384
const [COMMA, SEMICOLON] = [0x2C, 0x3B]
const SEPARATOR = 64
const INVALID = 65
const CONTINUES = 32
const MAX_SHIFT = 30

const DIGITS = new Uint8Array(256).fill(INVALID)
for (const [digit, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) DIGITS[letter.charCodeAt(0)] = digit
DIGITS[COMMA] = DIGITS[SEMICOLON] = SEPARATOR

/**
 * A segment: its column in the generated code, and its original position; source and name are -1 where it has none.
 * @typedef {(column: number, source: number, line: number, originalColumn: number, name: number) => boolean} Visit  false: no more of them
 *
 * @typedef {object} Mark  what is known at a byte of the mappings, before it is read
 * @property {number} at
 * @property {number} line
 * @property {number} column
 * @property {number[]} state    source, line, column and name so far
 * @property {number} placeLine    the place of what is read there; all that lies before belongs to earlier ones
 * @property {number} placeColumn
 */

class Mappings {
  #bytes
  /** @type {Mark[]} */
  #marks = [{ at: 0, line: 0, column: 0, state: [0, 0, 0, 0], placeLine: 0, placeColumn: 0 }]

  /**
   * @param {Uint8Array} bytes
   * @param {number} maxLines  number of lines of the generated code; mappings of other lines are dropped
   * @throws SyntaxError if they are not base64
   */
  constructor (bytes, maxLines) {
    let lines = 1
    let end = 0
    for (; end < bytes.length; end++) {
      const byte = bytes[end]
      if (DIGITS[byte] === INVALID) throw new SyntaxError('not base64')
      if (byte === SEMICOLON && ++lines > maxLines) break
    }
    this.#bytes = Uint8Array.prototype.slice.call(bytes, 0, end) // a copy, and not a piece of the file
  }

  get length () { return this.#bytes.length }

  /**
   * The segments of a line in order; from a column on, with a few before it perhaps.
   * @param {number} line
   * @param {number} column
   * @param {Visit} visit
   */
  walk (line, column, visit) {
    const bytes = this.#bytes
    const from = this.#markBefore(line, column)
    let [source, sourceLine, sourceColumn, name] = from.state
    let { at, line: atLine, column: atColumn } = from
    let markFrom = /** @type {Mark} */ (this.#marks.at(-1)).at + MARK_BYTES
    while (at < bytes.length && atLine <= line) {
      if (bytes[at] === COMMA) {
        at++
        continue
      }
      const mark = at < markFrom ? null : { at, line: atLine, column: atColumn, state: [source, sourceLine, sourceColumn, name], placeLine: 0, placeColumn: 0 }
      let fields = 0
      if (bytes[at] === SEMICOLON) {
        at++
        atLine++
        atColumn = 0
      } else {
        // Each field until the separator.
        while (at < bytes.length && DIGITS[bytes[at]] !== SEPARATOR) {
          let value = 0
          let digit = CONTINUES
          for (let shift = 0; digit & CONTINUES && at < bytes.length; shift += 5) {
            digit = DIGITS[bytes[at]]
            if (digit === SEPARATOR) break
            if (shift <= MAX_SHIFT) value |= (digit & 31) << shift
            at++
          }
          const delta = value & 1 ? -(value >>> 1) : value >>> 1
          if (fields === 0) atColumn += delta
          else if (fields === 1) source += delta
          else if (fields === 2) sourceLine += delta
          else if (fields === 3) sourceColumn += delta
          else if (fields === 4) name += delta
          fields++
        }
      }
      if (mark !== null) {
        mark.placeLine = atLine
        mark.placeColumn = atColumn
        this.#marks.push(mark)
        markFrom = mark.at + MARK_BYTES
      }
      if (atLine !== line || fields === 0) continue
      if (!visit(atColumn, fields < 4 ? -1 : source, sourceLine, sourceColumn, fields < 5 ? -1 : name)) return
    }
  }

  /** @param {number} line @param {number} column */
  #markBefore (line, column) {
    let [low, high] = [0, this.#marks.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const { placeLine, placeColumn } = this.#marks[middle]
      if (placeLine < line || (placeLine === line && placeColumn <= column)) low = middle
      else high = middle - 1
    }
    return this.#marks[low]
  }
}

module.exports = { Mappings }
