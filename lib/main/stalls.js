'use strict'

// Stalls on the main thread: how a late tick becomes a report, the log of the last ones, and the handles that get them.

const { toEpochMs } = require('../shared/base/monotonic')
const { StallLog } = require('../shared/stalls/stall-log')
const { tellTrace } = require('./open-telemetry')

/** @import { Cause, CodeFrame, Culprit, Stall, StallEvidence } from '../../types/diagnostics' */
/** @import { Ask, Tell } from '../bridge/channel' */
/** @import { SlowRequest, Work } from './http/middleware' */
/** @import { Stuck } from './http/stall-route' */
/** @import { LateTick } from './loop/heartbeat' */

/** @typedef {{ delayMs: number, cause: Cause, culprit: Culprit | null, stack: CodeFrame[], evidence: StallEvidence }} Explanation */
/**
 * @typedef {object} Subscriber  one handle: the first one also logs
 * @property {(stall: Stall, isFirst: boolean) => void} onStall
 * @property {() => SlowRequest | null} takeSlowest
 * @property {() => Work[]} takeWork
 */

// What is reported of a stall when there is no observer.
/** @type {Omit<Explanation, 'delayMs'>} */
const UNEXPLAINED = Object.freeze({
  cause: 'unknown',
  culprit: null,
  stack: [],
  evidence: { cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null, codeMs: null, gcMs: null }
})

class Stalls {
  #parts
  #sequence = 0
  /** The handles that run. */
  subscribers = new Subscribers()
  log = new StallLog()

  /**
   * @param {object} parts
   * @param {{ ask: Ask, tell: Tell }} parts.observer
   * @param {(tick: LateTick, slowest: (SlowRequest | null)[]) => Stuck} parts.stuckWith
   * @param {{ rotateSoon (): void, wasStartingAt (micros: number): boolean }} parts.recording
   * @param {() => boolean} parts.isRunning
   */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * Route and trace are known here, the explanation comes from the observer.
   * @param {LateTick} tick
   */
  async report (tick) {
    const { observer, stuckWith, recording, isRunning } = this.#parts
    const stuck = stuckWith(tick, this.subscribers.takeSlowest())
    const startingUp = recording.wasStartingAt(tick.fromMicros)
    recording.rotateSoon()
    const id = ++this.#sequence
    const explanation = await this.#explain({ ...tick, id })
    if (!isRunning() || explanation === null) return
    const { delayMs, cause, culprit, stack, evidence } = explanation
    /** @type {Stall} */
    const stall = {
      id,
      at: Math.round(toEpochMs(tick.toMicros - (delayMs + tick.ownMs) * 1e3)),
      durationMs: Math.round(delayMs),
      startingUp,
      cause,
      route: stuck.route(),
      trace: stuck.trace(),
      culprit,
      stack,
      evidence
    }
    this.log.add(stall)
    observer.tell('keepStall', { stall })
    tellTrace(stuck.spans, stall)
    this.subscribers.tell(stall)
  }

  /**
   * @param {LateTick & { id: number }} stall
   * @returns {Promise<Explanation | null>} null when a suspected stall was none
   */
  async #explain (stall) {
    try {
      return await this.#parts.observer.ask('explainStall', { stall })
    } catch {
      return stall.isSuspected ? null : { ...UNEXPLAINED, delayMs: stall.delayMs } // the observer is not running, which was warned of
    }
  }

  /** A tick was on time: what ran long without stalling the loop must not be blamed for the next stall. */
  forgetSlow () {
    this.subscribers.forgetSlowest()
  }

  /**
   * Corrects the positions of a stall once its source maps are read.
   * @param {Pick<Stall, 'id' | 'culprit' | 'stack'>} stall
   */
  addMapped ({ id, culprit, stack }) {
    const stall = this.log.find(id)
    if (stall === undefined) return
    const more = { ...stall, culprit, stack }
    this.log.replace(more)
    this.#parts.observer.tell('keepStall', { stall: more })
  }

  /** Hands the observer that runs now what the one before had. */
  tellAll () {
    for (const stall of this.log.list().reverse()) this.#parts.observer.tell('keepStall', { stall })
  }
}

/** The handles that run in this process: each gets the stalls, and its requests were under way. */
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

  takeWork () {
    return [...this.#all].flatMap(({ takeWork }) => takeWork())
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
