'use strict'

// Egress at its end on the main thread: one for the process, of the first application that asks for it. Here it is opened, and at the end
// handed what was recorded last; the observer sends, counts, and reports what goes wrong.

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
    // Also of a thread that is not ready yet: once it is the loop may be stuck, and that is what is to be told.
    await this.#ask('openEgress', { order: this.#opened.order })
  }

  /** To be called when there is another observer. */
  resume () {
    if (this.#opened !== undefined) this.#ask('openEgress', { order: this.#opened.order }).catch(() => {}) // lost again
  }

  /**
   * To be called when the process ends, or we do: what was recorded and is not sent yet is handed to the observer.
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
