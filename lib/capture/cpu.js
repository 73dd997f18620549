'use strict'

// The kind 'cpu': a view of the recorder's windows. Nothing is started for it.

const { monotonicMicros } = require('../internal/monotonic')

/** @import { Instruments, Recording } from './captures' */
/** @import { CaptureRequest } from './kinds' */

/**
 * @param {CaptureRequest} request
 * @param {Instruments} instruments
 * @param {AbortSignal} signal
 * @returns {Promise<Recording>}
 */
async function recordCpu ({ lastSeconds, seconds }, { views }, signal) {
  // Whole microseconds, as V8 writes them: deltas with fractions do not add up exactly.
  const now = Math.round(monotonicMicros())
  const wanted = { fromMicros: now - Math.round(lastSeconds * 1e6), toMicros: now + Math.round(seconds * 1e6) }
  const { profile, fromMicros, toMicros, isShortened } = await views.view(wanted, signal)
  const gotSeconds = roundSeconds((toMicros - fromMicros) / 1e6)
  return { profile, fromMicros, toMicros, shortened: isShortened ? { wantedSeconds: roundSeconds(lastSeconds + seconds), gotSeconds } : null }
}

/** @param {number} seconds */
function roundSeconds (seconds) {
  return Math.round(seconds * 100) / 100
}

module.exports = { recordCpu }
