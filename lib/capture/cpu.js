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
  const now = monotonicMicros()
  const wanted = { fromMicros: now - lastSeconds * 1e6, toMicros: now + seconds * 1e6 }
  const { profile, fromMicros, toMicros, isShortened } = await views.view(wanted, signal)
  const gotSeconds = Math.round((toMicros - fromMicros) / 1e4) / 100
  return { profile, fromMicros, toMicros, shortened: isShortened ? { wantedSeconds: lastSeconds + seconds, gotSeconds } : null }
}

module.exports = { recordCpu }
