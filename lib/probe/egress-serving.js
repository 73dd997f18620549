'use strict'

// Egress on the main thread: one per process, from the first application that configures it. This opens it, and hands over the last recording at
// exit; the observer sends, counts, and reports problems.

const { isDeepStrictEqual } = require('node:util')
const { monotonicMicros } = require('../base/monotonic')
const { warnOnce } = require('../base/warnings')

/** @import { EgressOptions, Logger } from '../../types/diagnostics' */
/** @import { Ask } from '../link/channel' */
/** @import { SharedState } from '../link/shared-state' */
/** @import { StoreLocation } from '../observer/captures' */

class EgressServing {
  #ask
  #state
  #recording
  /** @type {{ option: unknown, order: import('../observer/egress/egress').EgressOrder } | undefined} */
  #opened

  /**
   * @param {object} parts
   * @param {Ask} parts.ask  the observer, which may have just been started
   * @param {SharedState} parts.state
   * @param {{ readonly isRecording: boolean, rotate (): void }} parts.recording
   */
  constructor ({ ask, state, recording }) {
    this.#ask = ask
    this.#state = state
    this.#recording = recording
  }

  get isOpen () { return this.#opened !== undefined }

  /**
   * @param {object} application
   * @param {false | EgressOptions | readonly EgressOptions[]} application.option
   * @param {StoreLocation} application.location  of its store, in which the queue is
   * @param {Logger} application.logger
   */
  async open ({ option, location, logger }) {
    if (option === false) return
    const destinations = require('./egress-settings').destinationsOf(option)
    if (destinations.length === 0) return
    if (this.#opened !== undefined) {
      if (!isDeepStrictEqual(option, this.#opened.option)) warnOnce(logger, 'LOOPSCOPE_WARN_SHARED_OPTIONS', 'egress')
      return
    }
    this.#opened = { option, order: { destinations, location } }
    // Also for a thread that is not ready yet: by the time it is, the loop may be stuck, and that must be reported.
    await this.#ask('openEgress', { order: this.#opened.order })
  }

  /** Call it after an observer restart. */
  resume () {
    if (this.#opened !== undefined) this.#ask('openEgress', { order: this.#opened.order }).catch(() => {}) // lost again
  }

  /**
   * Call it when the process ends or loopscope stops: what was recorded and not sent yet is handed to the observer.
   * @returns {boolean} whether there was any
   */
  handOver () {
    const isContinuous = this.#opened?.order.destinations.some(({ everySeconds }) => everySeconds !== false)
    if (!isContinuous || !this.#recording.isRecording) return false
    this.#state.requestKeeping(monotonicMicros())
    this.#recording.rotate()
    return true
  }
}

module.exports = { EgressServing }
