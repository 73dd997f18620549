'use strict'

// Conditions on stalls: one that lasts, how many there were, how much of the time they took. Pure.

const { assertInteger, assertNumberAbove } = require('../../base/validate')

/** @import { ConditionRow } from '../conditions' */

const MAX_STALL_MS = 600_000
const MAX_COUNT = 10_000

/** @type {Readonly<Record<'stallMs' | 'stallCount' | 'blockedShare', ConditionRow>>} */
module.exports = Object.freeze({
  stallMs: {
    needs: 'stall',
    check: (path, value) => assertInteger(path, value, 20, MAX_STALL_MS),
    read: ({ stall }) => stall?.durationMs ?? null
  },
  stallCount: {
    needs: 'window',
    check: (path, value) => assertInteger(path, value, 1, MAX_COUNT),
    read: ({ stalls, nowMs }, { withinSeconds }) => stalls.filter(({ toMs }) => toMs > nowMs - withinSeconds * 1e3).length
  },
  blockedShare: {
    needs: 'window',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: ({ stalls, nowMs, sinceMs }, { withinSeconds }) => {
      const fromMs = nowMs - withinSeconds * 1e3
      if (sinceMs > fromMs) return null // one stall of a second is no half of the minute, though it is half of two seconds
      return stalls.reduce((sum, stall) => sum + Math.max(0, stall.toMs - Math.max(stall.fromMs, fromMs)), 0) / (withinSeconds * 1e3)
    }
  }
})
