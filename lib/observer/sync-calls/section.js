'use strict'

// The part of a text report that names a profile's synchronous calls, what they took and what to call instead. Pure.

const { adviceOf } = require('../../shared/sync-calls/advice')
const { findSampledCalls } = require('../../shared/sync-calls/sampled')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */

const MAX_LINES = 10
// Less than this of the time at work is not worth a line.
const MIN_SHARE = 0.01

/**
 * @param {CpuProfile} profile
 * @param {(frame: CallFrame) => { function: string, file: string, line: number }} showFrame
 * @returns {{ title: string, lines: string[] } | null} null when there is nothing to tell
 */
function syncCallSection (profile, showFrame) {
  const { calls, busyMicros } = findSampledCalls(profile)
  const heavy = calls.filter(({ micros }) => micros >= busyMicros * MIN_SHARE)
    .sort((left, right) => right.micros - left.micros).slice(0, MAX_LINES)
  if (heavy.length === 0) return null
  const lines = heavy.flatMap(({ api, caller, micros }) => {
    const { function: name, file, line } = showFrame(caller)
    const share = `${(micros / busyMicros * 100).toFixed(1)}%`
    const ms = (micros / 1e3).toFixed(1)
    return [
      `${ms.padStart(11)} ${share.padStart(6)}  ${api} in ${name} ${file}:${line}`,
      `${' '.repeat(20)}instead: ${adviceOf(api).instead}`
    ]
  })
  return {
    title: '[Synchronous calls]: the loop waits while they run',
    lines: ['         ms   busy  call, and the function that makes it', ...lines]
  }
}

module.exports = { syncCallSection }
