'use strict'

// The strings of a heap snapshot, read from the file on demand because most are never needed. So a file may be longer than V8's longest string.

const fs = require('node:fs')
const { openRegularFile } = require('../../base/regular-file')

const BLOCK_BYTES = 256 * 1024
const FIRST_CAPACITY = 65_536

class StringTable {
  #fd
  #starts = new Float64Array(FIRST_CAPACITY)
  #count = 0
  #end = 0
  #block = Buffer.alloc(0)
  #blockStart = 0
  /** @type {Map<number, string>} */
  #known = new Map()

  /** @param {string} file */
  constructor (file) {
    this.#fd = openRegularFile(file).fd
  }

  get count () { return this.#count }

  /**
   * @param {number} start  in the file, of the opening quote
   * @param {number} end
   */
  add (start, end) {
    if (this.#count === this.#starts.length) {
      const starts = new Float64Array(this.#count * 2)
      starts.set(this.#starts)
      this.#starts = starts
    }
    this.#starts[this.#count++] = start
    this.#end = end
  }

  /**
   * Remembered: for names, of which there are few.
   * @param {number} index
   */
  get (index) {
    const known = this.#known.get(index)
    if (known !== undefined) return known
    const text = this.read(index)
    this.#known.set(index, text)
    return text
  }

  /**
   * @param {number} index
   * @returns {string}
   */
  read (index) {
    const start = this.#starts[index]
    const end = index + 1 < this.#count ? this.#starts[index + 1] : this.#end
    const text = this.#bytes(start, end).toString('utf8')
    return JSON.parse(text.slice(0, text.lastIndexOf('"') + 1))
  }

  close () {
    fs.closeSync(this.#fd)
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #bytes (start, end) {
    if (start < this.#blockStart || end > this.#blockStart + this.#block.length) {
      const block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, end - start))
      this.#block = block.subarray(0, fs.readSync(this.#fd, block, 0, block.length, start))
      this.#blockStart = start
    }
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart)
  }
}

module.exports = { StringTable }
