'use strict'

// What held a thread for a stretch of time: cause and culprit, from its samples alone. What the system did to one thread of many is not known.

const { slice } = require('../recorder/window')
const { codeSampleCount, judgeCause, toBlame } = require('../stalls/judge-cause')
const { findCulprit } = require('../stalls/culprit/find-culprit')
const { toEpochMs } = require('../../shared/base/monotonic')
const { microsOf } = require('./stretch-joiner')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { ThreadStall } from './thread-watch' */
/** @import { WholeStretch } from './stretch-joiner' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */

const UNKNOWN_SYSTEM = Object.freeze({ cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null })

/**
 * @param {WholeStretch} stretch
 * @param {object} about
 * @param {number} about.thresholdMs
 * @param {{ appRoot: string, source: SourceLines }} about.context
 * @param {(profile: CpuProfile) => Promise<CpuProfile>} about.toWritten
 * @returns {Promise<Omit<ThreadStall, 'thread'>>}
 */
async function explainStretch (stretch, { thresholdMs, context, toWritten }) {
  const { longest: { window, fromMicros, toMicros } } = stretch
  const part = slice(window, fromMicros, toMicros)
  const found = findCulprit(await toWritten(part), context)
  const { stack, codeMs, gcMs } = found
  const cause = judgeCause({ durationMs: (toMicros - fromMicros) / 1e3, thresholdMs }, { ...UNKNOWN_SYSTEM, codeMs, gcMs })
  return {
    at: Math.round(toEpochMs(stretch.fromMicros)),
    durationMs: Math.round(microsOf(stretch) / 1e3),
    cause,
    culprit: toBlame(cause, found, codeSampleCount(part)),
    stack
  }
}

module.exports = { explainStretch }
