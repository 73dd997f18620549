'use strict'

// What one destination gets by itself, wired: a profile every few seconds, and evidence of stalls that go on.

const { guarded, unattended } = require('../../shared/base/guard')
const { clearTimeout, setTimeout } = require('../../shared/base/timers')
const { createContinuous } = require('./continuous')
const { createStuckEvidence } = require('./stuck-evidence')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { How, Views } from './continuous' */
/** @import { createDestination } from './destination' */
/** @import { createItems } from './items' */
/** @import { EgressItem } from './backends' */
/** @import { StuckEvidence } from './stuck-evidence' */

const PREPARE_MS = 1000 // the application has started by then
const MAX_MAPPING_WHILE_STUCK_MS = 500
const MAX_MAPPING_AT_END_MS = 50 // the process waits

/** @type {CpuProfile} */
const SMALLEST = Object.freeze({
  nodes: [{ id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 } }],
  startTime: 0,
  endTime: 1,
  samples: [1],
  timeDeltas: [1]
})

/**
 * @param {object} parts
 * @param {ReturnType<typeof createDestination>} parts.destination
 * @param {ReturnType<typeof createItems>} parts.items
 * @param {Views} parts.views
 * @param {Views} parts.quickViews  that do not wait for a stuck thread
 * @param {Views} parts.lastViews   that ask a thread for nothing, which ends
 * @param {Parameters<typeof createStuckEvidence>[0]['lasting']} parts.lasting
 * @param {(profile: CpuProfile, maxMs?: number) => Promise<CpuProfile>} parts.toWritten  a profile in the places of the code as it was written
 */
function createFeed ({ destination, items, views, quickViews, lastViews, lasting, toWritten }) {
  const { everySeconds, stallMs } = destination
  const continuous = everySeconds === false ? null : createContinuous({ everySeconds, views, onProfile: (profile, how) => send(profile, {}, how) })
  const stuckEvidence = createStuckEvidence({ stallMs, lasting, views: quickViews, onEvidence: evidence => unattended(tell(evidence)) })
  /** @type {NodeJS.Timeout | undefined} */
  let preparing
  let stuckAtMicros = 0
  /** @type {string | undefined} */
  let fileName

  /**
   * @param {CpuProfile} profile
   * @param {{ labels?: Record<string, string>, trace?: EgressItem['trace'] }} [of]
   * @param {How} [how]
   */
  async function send (profile, { labels, trace } = {}, { maxMappingMs, ...how } = {}) {
    await destination.add(items.profile(await toWritten(profile, maxMappingMs), labels, trace), how)
  }

  /** @param {StuckEvidence} evidence */
  async function tell ({ stuck, report, profile, source }) {
    const isUrgent = true
    if (stuck.tickMicros !== stuckAtMicros) fileName = undefined
    stuckAtMicros = stuck.tickMicros
    const item = items.stall(report, fileName)
    fileName = item.fileName
    await destination.add(item, { isUrgent })
    await send(profile, { labels: { unfinished_stall: source }, trace: report.trace }, { isUrgent, maxMappingMs: MAX_MAPPING_WHILE_STUCK_MS })
    await continuous?.flush(profile.startTime, quickViews)
    // What V8 gave up is sent; what was estimated will be recorded when the stall is over, if it ever is.
    if (source === 'sampled') continuous?.skip(profile.endTime)
  }

  return {
    start () {
      continuous?.start()
      stuckEvidence.start()
      if (continuous !== null) preparing = setTimeout(guarded(() => destination.prepare(items.profile(SMALLEST))), PREPARE_MS)
    },

    /**
     * Queues what was recorded up to the end and is not sent yet.
     * @param {number} toMicros
     * @param {boolean} isUnsent  the next process is to send it
     */
    async keepLast (toMicros, isUnsent) {
      await continuous?.flush(toMicros, lastViews, { isUnsent, maxMappingMs: MAX_MAPPING_AT_END_MS })
    },

    stop () {
      clearTimeout(preparing)
      continuous?.stop()
      stuckEvidence.stop()
    }
  }
}

module.exports = { createFeed }
