'use strict'

// Gathers the numbers of a heap snapshot, many records at a time, for whoever reads them: a call for each would take longer than
// reading it.

/** @import { TakeRecords } from './snapshot-scan' */

const BATCH_NUMBERS = 2 * 1024

/** Of one array; when nobody takes them, they are only counted. */
class RecordBatch {
  length = 0
  #take

  /**
   * @param {string} array
   * @param {number} width  numbers in a record
   * @param {TakeRecords} [take]
   */
  constructor (array, width, take) {
    this.array = array
    this.width = width
    this.values = new Float64Array(width * Math.ceil(BATCH_NUMBERS / width))
    this.#take = take
  }

  /** @param {number} length */
  pass (length) {
    if (length > 0) this.#take?.(this.values, length)
    return 0
  }
}

module.exports = { RecordBatch }
