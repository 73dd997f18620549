'use strict'

// Egress at its end on the main thread: one for the process, of the first application that asks for it. The observer sends; here it is
// opened and counted, and what goes wrong is logged with the application's logger.

const { isDeepStrictEqual } = require('node:util')
const { monotonicMicros } = require('../shared/base/monotonic')
const { warn, warnOnce } = require('../shared/base/warnings')

/** @import { EgressOptions, Logger } from '../../types/diagnostics' */
/** @import { Ask, Handlers } from '../bridge/channel' */
/** @import { ToMain } from '../bridge/messages' */
/** @import { SharedState } from '../bridge/shared-state' */
/** @import { StoreLocation } from '../observer/captures' */
/** @import { DestinationName } from '../shared/egress/destinations' */

/**
 * @typedef {'sent' | 'retried' | 'refused' | 'dropped' | 'unreadable'} EgressOutcome  of an item; retried: it failed, and is tried again; unreadable: what
 *   was on disk is no item of this destination, and was set aside
 * @typedef {{ to: DestinationName, outcome: EgressOutcome | null, queueBytes: number }} EgressEvent  null: one was queued
 * @typedef {{ totals: { to: DestinationName, outcome: EgressOutcome, count: number }[], queueBytes: number }} EgressCountsReading
 */

class EgressServing {
  #ask
  #state
  #recording
  /** @type {{ option: unknown, order: import('../observer/egress/egress').EgressOrder, logger: Logger } | undefined} */
  #opened
  counts = new EgressCounts()
  /** For what the observer says of it. @type {Pick<Handlers<ToMain>, 'egressed' | 'egressState'>} */
  handlers = {
    egressed: ({ event }) => this.counts.note(event),
    egressState: state => this.#tell(state)
  }

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
    this.#opened = { option, order: { destinations, location }, logger }
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

  /** @param {{ to: string, host: string, problem: string | null }} state  null: it works again */
  #tell ({ to, host, problem }) {
    const { logger } = this.#opened ?? {}
    if (logger === undefined) return
    if (problem !== null) return warn(logger, 'LOOPSCOPE_WARN_EGRESS', to, host, problem)
    logger.info({ egress: { to, host } }, `egress to ${host} works again`)
  }
}

/** What became of the items, and how much waits. */
class EgressCounts {
  /** @type {Map<string, { to: DestinationName, outcome: EgressOutcome, count: number }>} */
  #totals = new Map()
  #queueBytes = 0

  /** @param {EgressEvent} event */
  note ({ to, outcome, queueBytes }) {
    this.#queueBytes = queueBytes
    if (outcome === null) return
    const key = `${to} ${outcome}`
    const total = this.#totals.get(key) ?? { to, outcome, count: 0 }
    total.count++
    this.#totals.set(key, total)
  }

  /** @returns {EgressCountsReading} */
  read () {
    return { totals: [...this.#totals.values()], queueBytes: this.#queueBytes }
  }
}

module.exports = { EgressServing }
