'use strict'

// The synchronous calls of one profile as people read them: with their place, their share and what to call instead. Pure.

const { adviceOf } = require('../../shared/sync-calls/advice')
const { findSampledCalls, SampledView } = require('../../shared/sync-calls/sampled')

/** @import { CodeFrame, SampledSyncCall } from '../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile } from '../../../types/profile' */

/**
 * @param {CpuProfile} profile
 * @param {(frame: CallFrame) => CodeFrame} showFrame
 * @returns {SampledSyncCall[]} heaviest first
 */
function describeSampledCalls (profile, showFrame) {
  const { calls, busyMicros } = findSampledCalls(profile)
  return calls.toSorted((left, right) => right.micros - left.micros).map(call => {
    const view = new SampledView(call.api, showFrame(call.caller))
    view.update(call)
    return { ...view.read(busyMicros), advice: adviceOf(call.api) }
  })
}

module.exports = { describeSampledCalls }
