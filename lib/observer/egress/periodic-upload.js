'use strict'

// The periodic uploads of one destination: a profile every few seconds, and evidence of stalls that are still going on.

const { guarded, unattended } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { clearInterval, clearTimeout, setInterval, setTimeout } = require('../../base/timers')
const { createStuckEvidence } = require('./stuck-evidence')

/** @import { EgressItem } from './backends' */
/** @import { createDestination } from './destination' */
/** @import { createItems } from './items' */
/** @import { View } from '../recorder/views' */
/** @import { StuckEvidence } from './stuck-evidence' */
/** @import { CpuProfile } from '../../../types/profile' */

/** @typedef {{ view (wanted: { fromMicros: number, toMicros: number }): Promise<View> }} Views */
/** @typedef {{ isUrgent?: boolean, isUnsent?: boolean, maxMappingMs?: number }} How  how a profile is sent */

const PREPARE_MS = 1000 // the application has started by then
const MAX_MAPPING_WHILE_STUCK_MS = 500
const MAX_MAPPING_AT_END_MS = 50 // the process waits for it

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
 * @param {Views} parts.quickViews  that do not wait for a blocked thread
 * @param {Views} parts.lastViews   that request nothing from the threads, which are ending
 * @param {Parameters<typeof createStuckEvidence>[0]['lasting']} parts.lasting
 * @param {(profile: CpuProfile, maxMs?: number) => Promise<CpuProfile>} parts.toOriginal  a profile with positions in the original source
 */
function createPeriodicUpload ({ destination, items, views, quickViews, lastViews, lasting, toOriginal }) {
  const { everySeconds, stallMs } = destination
  const continuous = everySeconds === false ? null : new Continuous({ everySeconds, views, onProfile: (profile, how) => send(profile, {}, how) })
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
    await destination.add(items.profile(await toOriginal(profile, maxMappingMs), labels, trace), how)
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
    // Samples from V8 count as sent; after an estimate, the recording is sent when the stall is over, if ever.
    if (source === 'sampled') continuous?.skip(profile.endTime)
  }

  return {
    start () {
      continuous?.start()
      stuckEvidence.start()
      if (continuous !== null) preparing = setTimeout(guarded(() => destination.prepare(items.profile(SMALLEST))), PREPARE_MS)
    },

    /**
     * Queues what was recorded up to the end and not sent yet.
     * @param {number} toMicros
     * @param {boolean} isUnsent  the next process will send it
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

/**
 * Sends the recording piece by piece: every few seconds the time since the last upload, cut from the windows that the recorder holds. No profile is
 * started for it.
 */
class Continuous {
  #parts
  #sentToMicros = 0
  /** One after the other, so that no time range is sent twice. */
  #sending = Promise.resolve()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {number} parts.everySeconds
   * @param {Views} parts.views
   * @param {(profile: CpuProfile, how?: How) => Promise<void>} parts.onProfile
   */
  constructor (parts) {
    this.#parts = parts
  }

  start () {
    if (this.#timer !== undefined) return
    this.#sentToMicros = Math.round(monotonicMicros())
    this.#timer = setInterval(guarded(() => this.flush(Math.round(monotonicMicros()))), this.#parts.everySeconds * 1e3)
  }

  stop () {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /**
   * Sends the rest up to this time; resolves when it is queued.
   * @param {number} toMicros
   * @param {Views} [views]  others, which wait less for a blocked thread
   * @param {How} [how]
   */
  flush (toMicros, views = this.#parts.views, how = undefined) {
    const sent = this.#sending.then(() => this.#send(toMicros, views, how))
    this.#sending = sent.catch(() => {}) // a failure of this one does not stop the next
    return sent
  }

  /**
   * Skips time that was already sent elsewhere.
   * @param {number} toMicros
   */
  skip (toMicros) {
    this.#sentToMicros = Math.max(this.#sentToMicros, toMicros)
  }

  /**
   * @param {number} toMicros
   * @param {Views} views
   * @param {How} [how]
   */
  async #send (toMicros, views, how) {
    const fromMicros = this.#sentToMicros
    if (toMicros <= fromMicros) return
    try {
      const view = await views.view({ fromMicros, toMicros })
      this.skip(view.toMicros)
      await this.#parts.onProfile(view.profile, how)
    } catch (error) {
      // Nothing is recorded: the recorder is off, or the thread is blocked and its window still open.
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      if (code !== 'ERR_LOOPSCOPE_EMPTY_VIEW' && code !== 'ERR_LOOPSCOPE_RECORDER_OFF') throw error
    }
  }
}

module.exports = { createPeriodicUpload }
