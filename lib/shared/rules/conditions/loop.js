'use strict'

// Conditions on the loop as the main thread counts it, and on its requests: over a window, as the difference of two readings. Pure.

const { quantileOf } = require('../../base/bucket-counts')
const { assertInteger, assertNumberAbove } = require('../../base/validate')
const { windowOf } = require('../window')

/** @import { ConditionRow } from '../conditions' */

const MAX_DELAY_MS = 600_000
// Fewer answers make no share: one failed request of two is not half of the service.
const MIN_RESPONSES = 20

/** @type {Readonly<Record<'utilization' | 'delayP99Ms' | 'errorResponseShare', ConditionRow>>} */
module.exports = Object.freeze({
  utilization: {
    needs: 'loop',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const activeMs = ends.last.activeMs - ends.first.activeMs
      const idleMs = ends.last.idleMs - ends.first.idleMs
      return activeMs + idleMs > 0 ? activeMs / (activeMs + idleMs) : null
    }
  },
  delayP99Ms: {
    needs: 'loop',
    check: (path, value) => assertInteger(path, value, 1, MAX_DELAY_MS),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const { first: { delay: before }, last: { delay } } = ends
      const counts = delay.counts.map((count, index) => count - before.counts[index])
      return quantileOf({ bounds: delay.bounds, counts, count: delay.count - before.count }, 0.99) * 1e3
    }
  },
  errorResponseShare: {
    needs: 'loop',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const responses = ends.last.responses - ends.first.responses
      return responses >= MIN_RESPONSES ? (ends.last.errorResponses - ends.first.errorResponses) / responses : 0
    }
  }
})
