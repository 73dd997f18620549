'use strict'

// The value of a WeakMap entry has two edges, from its key and from the table. V8 names both
// `N / part of key (X @id) -> value (Y @id) pair in WeakMap (table @T)`, which is the only way to know that they belong together.

const PAIR = /^\d+( \/ part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\))$/
const MARK = ' / part of key ('
const MAX_MARK_OFFSET = 32 // quote and number in front of it

class WeakMapNames {
  /** By index of the name. @type {Map<number, { tableId: number, pair: number }>} */
  #names = new Map()
  /** Of the text that both edges have. @type {Map<string, number>} */
  #pairs = new Map()

  /**
   * @param {number} index
   * @param {Buffer} bytes
   * @param {number} start
   * @param {number} end
   */
  look (index, bytes, start, end) {
    const first = bytes[start + 1]
    if (first < 0x30 || first > 0x39 || bytes[end - 2] !== 0x29) return
    if (!bytes.subarray(start, Math.min(end, start + MAX_MARK_OFFSET)).includes(MARK)) return
    const [, text, table] = PAIR.exec(JSON.parse(bytes.toString('utf8', start, end))) ?? []
    if (text === undefined) return
    const pair = this.#pairs.get(text) ?? this.#pairs.size
    this.#pairs.set(text, pair)
    this.#names.set(index, { tableId: Number(table), pair })
  }

  /** @param {number} index */
  get (index) {
    return this.#names.get(index)
  }

  get isEmpty () {
    return this.#names.size === 0
  }
}

module.exports = { WeakMapNames }
