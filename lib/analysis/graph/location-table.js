'use strict'

// The places in the code that a heap snapshot names, each once: thousands of functions are written at the same.

/** @import { Location } from './graph' */

const FACTOR = 31

class LocationTable {
  /** Index 0 is none. @type {(Location | null)[]} */
  locations = [null]
  /** Indexes, by a number that equal places share. @type {Map<number, number[]>} */
  #indexes = new Map()

  /**
   * @param {number} script
   * @param {number} line
   * @param {number} column
   * @returns {number} index
   */
  indexOf (script, line, column) {
    const hash = (Math.imul(Math.imul(script, FACTOR) + line, FACTOR) + column) | 0
    const alike = this.#indexes.get(hash)
    if (alike !== undefined) {
      for (const index of alike) {
        const known = this.locations[index]
        if (known !== null && known.line === line && known.column === column && known.script === script) return index
      }
    }
    const index = this.locations.push({ script, line, column }) - 1
    if (alike === undefined) this.#indexes.set(hash, [index])
    else alike.push(index)
    return index
  }
}

module.exports = { LocationTable }
