'use strict'

// Collects the worst requests, each with where its time went: from the main thread's notes (probe/request-notes.js) and the samples of the
// recorder's windows. Nothing is kept of other requests.

const { monotonicMicros, toEpochMs } = require('../../base/monotonic')
const { SampledRuns } = require('./sampled-runs')
const { stepsOf } = require('./steps')
const { createBusySince, timelinesOf, toMs } = require('./timeline')
const { Worst } = require('./worst')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { Interval } from '../../probe/loop/own-work' */
/** @import { CallName } from '../../probe/waits/call-names' */
/** @import { Answer, Notes, Work } from '../../probe/request-notes' */
/** @import { LineSpans } from '../waits/wait-profile' */
/** @import { Run } from './sampled-runs' */
/** @import { Known, Subject, Timeline, WaitTime } from './timeline' */

// Samples come with their windows, a few seconds late. After this time no more are expected.
const SETTLED_MICROS = 30e6

// Of each kind. Code that runs for a millisecond or more is noted: this is two seconds of nothing else, or a minute of a busy process.
const MAX_KEPT = 2000

/** @typedef {Answer & { durationMicros: number, timeline: Timeline | null }} Kept  timeline null: more samples may follow */

class SlowRequests {
  #past = new Past()
  #runs
  #nameOf
  #waitedAt
  /** @type {Worst<Kept>} */
  #worst = new Worst()
  /** @type {number | null} */
  #handedOverMicros = null

  /**
   * @param {object} parts
   * @param {number} parts.hz  the sampling rate
   * @param {(number: number) => CallName | undefined} parts.nameOf  of the calls that requests wait for
   * @param {(startMicros: number) => LineSpans[] | null} [parts.waitedAt]  the lines at which a request waited; null: it was not sampled
   */
  constructor ({ hz, nameOf, waitedAt = () => null }) {
    this.#runs = new SampledRuns({ hz })
    this.#nameOf = nameOf
    this.#waitedAt = waitedAt
  }

  /** Up to when the main thread has sent its notes, in milliseconds since the epoch; null: none yet. */
  get handedOverMs () { return this.#handedOverMicros === null ? null : Math.round(toEpochMs(this.#handedOverMicros)) }

  /** @param {Notes} notes */
  addNotes (notes) {
    if (this.#past.isFull) {
      this.#settle(Infinity)
      this.#past.forgetOldest()
    }
    this.#past.add(notes)
    this.#handedOverMicros = notes.toMicros
    const micros = monotonicMicros()
    for (const answer of notes.answers) {
      const durationMicros = answer.toMicros - answer.fromMicros
      if (this.#worst.isAmong(answer.route, durationMicros, micros)) this.#worst.add({ ...answer, durationMicros, timeline: null })
    }
  }

  /** @param {CpuProfile} window  with the routes of its samples; the notes about its time have arrived */
  addWindow (window) {
    this.#runs.addWindow(window)
    this.#settle(window.endTime)
  }

  /** @returns {SlowRequest[]} worst first */
  list () {
    const micros = monotonicMicros()
    this.#settle(micros - SETTLED_MICROS)
    const requests = this.#worst.list(micros)
    const open = this.explain(requests.filter(isOpen))
    return requests.map(request => this.#toItem(request, /** @type {Timeline} */ (request.timeline ?? open.get(request))))
  }

  /** @param {number} micros  all samples up to this moment have arrived */
  #settle (micros) {
    const settled = this.#worst.list(monotonicMicros()).filter(request => isOpen(request) && request.toMicros <= micros)
    for (const [request, timeline] of this.explain(settled)) request.timeline = timeline
  }

  /**
   * Computes where the time of requests went.
   * @template {Subject} T
   * @param {T[]} requests
   * @returns {Map<T, Timeline>}
   */
  explain = requests => {
    if (requests.length === 0) return new Map()
    const runs = this.#runs.since(Math.min(...requests.map(({ fromMicros }) => fromMicros)))
    return timelinesOf(requests, this.#past.read(runs))
  }

  /**
   * @param {number} fromMicros  no earlier moment is asked for
   * @returns {(micros: number) => number} since when the loop had been busy at that moment
   */
  busySince = fromMicros => createBusySince(this.#past.read(this.#runs.since(fromMicros)))

  /**
   * @param {Kept} request
   * @param {Timeline} timeline
   * @returns {SlowRequest}
   */
  #toItem ({ route, status, traceId, fromMicros, startMicros, durationMicros, waits: calls }, { waits, pieces, ...timeline }) {
    const lines = this.#waitedAt(startMicros)
    return {
      at: Math.round(toEpochMs(fromMicros)),
      route,
      status,
      durationMs: toMs(durationMicros),
      unreadMs: toMs(startMicros - fromMicros),
      ...timeline,
      waits: this.#named(waits),
      waitedAt: lines === null ? null : lines.map(({ line }) => line),
      steps: stepsOf(pieces, { fromMicros, waits: calls, nameOf: this.#nameOf, lines }),
      traceId
    }
  }

  /** @param {WaitTime[]} waits */
  #named (waits) {
    return waits.flatMap(({ name, ...rest }) => {
      const found = this.#nameOf(name)
      return found === undefined ? [] : [{ kind: found.kind, operation: found.operation, target: found.target, ...rest }]
    }).sort((left, right) => right.ms - left.ms)
  }
}

/** @param {Kept} request */
function isOpen ({ timeline }) {
  return timeline === null
}

/** Which requests ran when, for as long as it may still be needed. Bounded. */
class Past {
  /** @type {{ work: Work[], seen: Work[], late: Interval[], answers: Answer[] }} */
  #kept = { work: [], seen: [], late: [], answers: [] }

  /** Whether the oldest entries must go before more are added. */
  get isFull () { return Object.values(this.#kept).some(({ length }) => length >= MAX_KEPT) }

  forgetOldest () {
    for (const some of Object.values(this.#kept)) if (some.length >= MAX_KEPT) some.splice(0, some.length - MAX_KEPT / 2)
  }

  /** @param {Pick<Notes, 'work' | 'seen' | 'late' | 'answers'>} notes */
  add ({ work, seen, late, answers }) {
    this.#kept.work.push(...work)
    this.#kept.seen.push(...seen)
    this.#kept.late.push(...late)
    this.#kept.answers.push(...answers)
  }

  /**
   * @param {Run[]} runs
   * @returns {Known}
   */
  read (runs) {
    const { work, seen, late, answers } = this.#kept
    // When a request's work was noted, the router may not have found the route yet: the end of the request has it.
    const routes = new Map(answers.map(({ startMicros, route }) => [startMicros, route]))
    const toNamed = (/** @type {Work} */ { route, ...rest }) => ({ ...rest, route: routes.get(rest.startMicros) ?? route })
    return { work: work.map(toNamed).sort((left, right) => left.fromMicros - right.fromMicros), seen: seen.map(toNamed), late, answers, runs }
  }
}

module.exports = { SlowRequests }
