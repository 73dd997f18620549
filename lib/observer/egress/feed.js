'use strict'

// What one destination gets by itself, wired: a profile every few seconds, and evidence of stalls that go on.

const { unattended } = require('../../shared/base/guard')
const { createContinuous } = require('./continuous')
const { createStuckEvidence } = require('./stuck-evidence')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Views } from './continuous' */
/** @import { createDestination } from './destination' */
/** @import { createItems } from './items' */
/** @import { EgressItem } from './backends' */
/** @import { StuckEvidence } from './stuck-evidence' */

const MAX_MAPPING_WHILE_STUCK_MS = 500

/**
 * @param {object} parts
 * @param {ReturnType<typeof createDestination>} parts.destination
 * @param {ReturnType<typeof createItems>} parts.items
 * @param {Views} parts.views
 * @param {Views} parts.quickViews  that do not wait for a stuck thread
 * @param {Parameters<typeof createStuckEvidence>[0]['lasting']} parts.lasting
 * @param {(profile: CpuProfile, maxMs?: number) => Promise<CpuProfile>} parts.toWritten  a profile in the places of the code as it was written
 */
function createFeed ({ destination, items, views, quickViews, lasting, toWritten }) {
  const { everySeconds, stallMs } = destination
  const continuous = everySeconds === false ? null : createContinuous({ everySeconds, views, onProfile: profile => unattended(send(profile)) })
  const stuckEvidence = createStuckEvidence({ stallMs, lasting, views: quickViews, onEvidence: evidence => unattended(tell(evidence)) })
  let stuckAtMicros = 0
  /** @type {string | undefined} */
  let fileName

  /**
   * @param {CpuProfile} profile
   * @param {{ labels?: Record<string, string>, trace?: EgressItem['trace'] }} [of]
   * @param {{ isUrgent: boolean }} [how]
   */
  async function send (profile, { labels, trace } = {}, how) {
    await destination.add(items.profile(await toWritten(profile, how?.isUrgent ? MAX_MAPPING_WHILE_STUCK_MS : undefined), labels, trace), how)
  }

  /** @param {StuckEvidence} evidence */
  async function tell ({ stuck, report, profile, source }) {
    const isUrgent = true
    if (stuck.tickMicros !== stuckAtMicros) fileName = undefined
    stuckAtMicros = stuck.tickMicros
    const item = items.stall(report, fileName)
    fileName = item.fileName
    await destination.add(item, { isUrgent })
    await send(profile, { labels: { unfinished_stall: source }, trace: report.trace }, { isUrgent })
    await continuous?.flush(profile.startTime, quickViews)
    // What V8 gave up is sent; what was estimated will be recorded when the stall is over, if it ever is.
    if (source === 'sampled') continuous?.skip(profile.endTime)
  }

  return {
    start () {
      continuous?.start()
      stuckEvidence.start()
    },

    stop () {
      continuous?.stop()
      stuckEvidence.stop()
    }
  }
}

module.exports = { createFeed }
