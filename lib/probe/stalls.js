'use strict'

// Reports stalls on the main thread: a late tick goes to the observer, which explains and stores it; its report goes to the handles.

const { Promise } = require('../base/globals')
const { monotonicMicros } = require('../base/monotonic')
const { clearTimeout, setTimeout } = require('../base/timers')
const { UNEXPLAINED, toStall } = require('../shared/stalls/stall')
const { addStallToTrace } = require('./open-telemetry')

/** @import { Stall } from '../../types/diagnostics' */
/** @import { ObserverClient } from '../link/observer-client' */
/** @import { SlowRequest, Stuck } from './http/stall-route' */
/** @import { LateTick } from './loop/heartbeat' */
/** @import { MeasuredStall } from '../shared/stalls/stall' */

/**
 * @typedef {object} Subscriber  one handle: the first one also logs
 * @property {(stall: Stall, isFirst: boolean) => void} onStall
 * @property {() => SlowRequest | null} takeSlowest
 */

// The router may not have found the route of a request yet. A report waits no longer than this for the request to be answered.
const MAX_UNANSWERED_MICROS = 500e3
// An explanation waits for the window that holds the stall, which ends within a few milliseconds on a machine with CPU time to spare.
const MAX_REPORT_MS = 2000
// By then it has all but the source maps, which may take longer.
const MAX_MAPPING_MS = MAX_REPORT_MS / 2

class Stalls {
  #parts
  #sequence = 0
  /** Stalls whose route is still to be sent. @type {{ id: number, stuck: Stuck, untilMicros: number }[]} */
  #unanswered = []
  /** Pending reports, each with what makes it wait no longer. @type {Map<Promise<void>, () => void>} */
  #reports = new Map()
  /** The running handles. */
  subscribers = new Subscribers()

  /**
   * @param {object} parts
   * @param {Pick<ObserverClient, 'ask' | 'readOr' | 'tell'>} parts.observer
   * @param {(tick: LateTick, slowest: (SlowRequest | null)[]) => Stuck} parts.stuckWith
   * @param {{ rotateSoon (): void, wasStartingAt (micros: number): boolean, hasBeenSlowSince (micros: number): boolean }} parts.recording
   * @param {() => boolean} parts.isRunning
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {LateTick} tick */
  async report (tick) {
    // It has no samples, which alone could prove it, and no code that could have stalled the loop has run.
    if (tick.isSuspected && this.#parts.recording.hasBeenSlowSince(tick.fromMicros)) return
    let hurry = () => {}
    const hurried = /** @type {Promise<never>} */ (new Promise((resolve, reject) => { hurry = () => reject(new Error('the observer takes too long')) }))
    const report = this.#report(tick, hurried)
    this.#reports.set(report, hurry)
    try {
      await report
    } finally {
      this.#reports.delete(report)
    }
  }

  /** Resolves when the stalls so far have been reported, after two seconds without an explanation: call it before the observer is stopped. */
  async reported () {
    if (this.#reports.size === 0) return
    this.#sendSubjects(Infinity)
    const hurry = setTimeout(() => this.#parts.observer.tell('explainNow', {}), MAX_MAPPING_MS)
    const timer = setTimeout(() => { for (const hurry of this.#reports.values()) hurry() }, MAX_REPORT_MS) // keeps the process alive: close() is awaited
    await Promise.allSettled(this.#reports.keys())
    clearTimeout(timer)
    clearTimeout(hurry)
  }

  /** @param {LateTick} tick @param {Promise<never>} hurried */
  async #report (tick, hurried) {
    const { stuckWith, recording, isRunning } = this.#parts
    const stuck = stuckWith(tick, this.subscribers.takeSlowest())
    const measured = { ...tick, id: ++this.#sequence, startingUp: recording.wasStartingAt(tick.fromMicros) }
    recording.rotateSoon()
    const stall = await this.#explain(measured, stuck, hurried)
    if (!isRunning() || stall === null) return
    addStallToTrace(stuck.spans(), stall)
    this.subscribers.tell(stall)
  }

  /**
   * @param {MeasuredStall} measured
   * @param {Stuck} stuck
   * @param {Promise<never>} hurried  rejects when the explanation is waited for no longer
   * @returns {Promise<Stall | null>} null when a suspected stall is not confirmed
   */
  async #explain (measured, stuck, hurried) {
    const { observer } = this.#parts
    try {
      const explained = observer.ask('stall', { measured, subject: stuck.isAnswered() ? stuck.subject() : null })
      if (!stuck.isAnswered()) this.#unanswered.push({ id: measured.id, stuck, untilMicros: monotonicMicros() + MAX_UNANSWERED_MICROS })
      return await Promise.race([explained, hurried])
    } catch {
      const { isSuspected, delayMs } = measured
      return isSuspected ? null : toStall(measured, stuck.subject(), { ...UNEXPLAINED, delayMs }) // the observer is not running, already warned of, or has no CPU time
    }
  }

  /**
   * Call it with each tick.
   * @param {number} micros  now
   * @param {boolean} isOnTime  then a long handler that did not stall the loop must not become the cause of the next stall
   */
  tick (micros, isOnTime) {
    if (isOnTime) this.subscribers.forgetSlowest()
    if (this.#unanswered.length > 0) this.#sendSubjects(micros)
  }

  /** @param {number} micros */
  #sendSubjects (micros) {
    this.#unanswered = this.#unanswered.filter(({ id, stuck, untilMicros }) => {
      if (!stuck.isAnswered() && micros < untilMicros) return true
      this.#parts.observer.tell('stallSubject', { id, subject: stuck.subject() })
      return false
    })
  }

  /** The last 200, newest first; none without an observer. @returns {Promise<Stall[]>} */
  async list () {
    return this.#parts.observer.readOr('stalls', {}, [])
  }
}

/** The running handles of this process: each gets the stalls, and provides its slowest request. */
class Subscribers {
  /** @type {Set<Subscriber>} */
  #all = new Set()

  /** @param {Subscriber} subscriber */
  add (subscriber) {
    this.#all.add(subscriber)
  }

  /** @param {Subscriber} subscriber */
  delete (subscriber) {
    this.#all.delete(subscriber)
  }

  takeSlowest () {
    return [...this.#all].map(({ takeSlowest }) => takeSlowest())
  }

  forgetSlowest () {
    for (const { takeSlowest } of this.#all) takeSlowest()
  }

  /** @param {Stall} stall */
  tell (stall) {
    const [first] = this.#all
    for (const subscriber of this.#all) subscriber.onStall(stall, subscriber === first)
  }
}

module.exports = { Stalls }
