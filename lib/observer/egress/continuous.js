'use strict'

// What was recorded, sent stretch by stretch: every few seconds the time since the last one, cut from the windows that the recorder holds.
// No profile is started for it.

const { guarded } = require('../../shared/base/guard')
const { monotonicMicros } = require('../../shared/base/monotonic')
const { clearInterval, setInterval } = require('../../shared/base/timers')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { View } from '../recorder/views' */

/** @typedef {{ view (wanted: { fromMicros: number, toMicros: number }): Promise<View> }} Views */
/** @typedef {{ isUrgent?: boolean, isUnsent?: boolean, maxMappingMs?: number }} How  a profile is sent */

/**
 * @param {object} parts
 * @param {number} parts.everySeconds
 * @param {Views} parts.views
 * @param {(profile: CpuProfile, how?: How) => Promise<void>} parts.onProfile
 */
function createContinuous (parts) {
  return new Continuous(parts)
}

class Continuous {
  #parts
  #sentToMicros = 0
  /** One after the other, so that no time is sent twice. */
  #sending = Promise.resolve()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {Parameters<typeof createContinuous>[0]} parts */
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
   * Sends what has not been sent yet; resolves when it is queued.
   * @param {number} toMicros
   * @param {Views} [views]  other ones, which wait less for a stuck thread
   * @param {How} [how]
   */
  flush (toMicros, views = this.#parts.views, how = undefined) {
    const sent = this.#sending.then(() => this.#send(toMicros, views, how))
    this.#sending = sent.catch(() => {}) // what was wrong with this one does not keep the next from being sent
    return sent
  }

  /**
   * Somebody else has sent this time.
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
      // Nothing is recorded: the recorder is off, or the thread is stuck and its window still open.
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      if (code !== 'ERR_LOOPSCOPE_EMPTY_VIEW' && code !== 'ERR_LOOPSCOPE_RECORDER_OFF') throw error
    }
  }
}

module.exports = { createContinuous }
