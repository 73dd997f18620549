'use strict'

// Counts the application's calls to its dependencies by name: how many, how long, how many failed. Cumulative, never reset.

const { BucketCounts } = require('../../base/bucket-counts')

/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { CallName } from '../../probe/waits/call-names' */
/** @import { CallBatch } from '../../probe/waits/dependency-calls' */

// The bounds that OpenTelemetry advises for db.client.operation.duration.
const BOUNDS_SECONDS = Object.freeze([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])

const MICROS_PER_SECOND = 1e6

/**
 * @typedef {CallName & { errors: number, reading: BucketReading }} CountedCalls
 */

class CallCounts {
  /** By number. @type {(CallName & { errors: number, buckets: BucketCounts })[]} */
  #counted = []

  /** @param {CallBatch} batch */
  add ({ firstName, names, calls }) {
    names.forEach((name, index) => {
      this.#counted[firstName + index] ??= { ...name, errors: 0, buckets: new BucketCounts(BOUNDS_SECONDS) }
    })
    for (let index = 0; index < calls.length; index += 2) {
      const counted = this.#counted[calls[index] >> 1]
      if (counted === undefined) continue
      counted.buckets.observe(calls[index + 1] / MICROS_PER_SECOND)
      counted.errors += calls[index] & 1
    }
  }

  /** @param {number} number @returns {CallName | undefined} */
  nameOf (number) {
    return this.#counted[number]
  }

  /** @returns {CountedCalls[]} */
  counts () {
    return this.#counted
      .map(({ kind, operation, target, errors, buckets }) => ({ kind, operation, target, errors, reading: buckets.read() }))
      .filter(({ reading }) => reading.count > 0)
  }
}

module.exports = { CallCounts }
