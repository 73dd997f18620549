'use strict'

// Collects the worst requests, each with where its time went: from the main thread's notes (probe/request-notes.js) and the samples of the
// recorder's windows. Nothing is kept of other requests.

const { monotonicMicros, toEpochMs } = require('../../base/monotonic')
const { createBusySince, timelinesOf, toMs } = require('./timeline')
const { LOOP_IO } = require('../../formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { Interval } from '../../probe/loop/own-work' */
/** @import { CallName } from '../../probe/waits/call-names' */
/** @import { Answer, Notes, Work } from '../../probe/request-notes' */
/** @import { LineSpans } from '../waits/wait-profile' */
/** @import { Known, Subject, Timeline, WaitTime } from './timeline' */

// Samples come with their windows, a few seconds late. After this time no more are expected.
const SETTLED_MICROS = 30e6

// Of each kind. Code that runs for a millisecond or more is noted: this is two seconds of nothing else, or a minute of a busy process.
const MAX_KEPT = 2000
// Ten per route; with a hundred routes at least the worst of each.
const MAX_OF_ROUTE = 10
const MAX_IN_ALL = 100
// Only the recent past matters: a slow start or a deployment an hour ago must not hide the requests of now.
const MAX_AGE_MICROS = 15 * 60e6
// Of longer requests only the end is explained.
const KEEP_MICROS = 60e6
const MAX_RUNS = 2000
// Two samples further apart than this many intervals do not show what ran in between.
const MAX_GAP = 10

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

  /** @param {Kept} request @param {Timeline} timeline @returns {SlowRequest} */
  #toItem ({ route, status, traceId, fromMicros, startMicros, durationMicros, waits: calls }, { waits, pieces, ...timeline }) {
    const { stepsOf } = require('./steps') // loaded with the first question
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

  /** @param {Run[]} runs @returns {Known} */
  read (runs) {
    const { work, seen, late, answers } = this.#kept
    // When a request's work was noted, the router may not have found the route yet: the end of the request has it.
    const routes = new Map(answers.map(({ startMicros, route }) => [startMicros, route]))
    const toNamed = (/** @type {Work} */ { route, ...rest }) => ({ ...rest, route: routes.get(rest.startMicros) ?? route })
    return { work: work.map(toNamed).sort((left, right) => left.fromMicros - right.fromMicros), seen: seen.map(toNamed), late, answers, runs }
  }
}

/**
 * Keeps the worst requests of each route in the last quarter of an hour. Almost no slow request is one of them: finding that out costs a map lookup
 * and a few comparisons.
 * @template {{ route: string, durationMicros: number, toMicros: number }} T
 */
class Worst {
  /** Worst first. @type {Map<string, T[]>} */
  #byRoute = new Map()
  #count = 0
  #oldestMicros = Infinity

  /** @param {string} route @param {number} durationMicros @param {number} micros  now */
  isAmong (route, durationMicros, micros) {
    if (this.#oldestMicros < micros - MAX_AGE_MICROS) this.#forget(micros - MAX_AGE_MICROS)
    const requests = this.#byRoute.get(route)
    return requests === undefined || requests.length < MAX_OF_ROUTE || durationMicros > requests[MAX_OF_ROUTE - 1].durationMicros
  }

  /** @param {T} request  one for which isAmong() is true */
  add (request) {
    this.#forget(request.toMicros - MAX_AGE_MICROS)
    const requests = this.#byRoute.get(request.route) ?? []
    this.#byRoute.set(request.route, requests)
    requests.push(request)
    requests.sort((left, right) => right.durationMicros - left.durationMicros)
    this.#count++
    this.#oldestMicros = Math.min(this.#oldestMicros, request.toMicros)
    if (requests.length > MAX_OF_ROUTE) this.#drop(requests)
    else if (this.#count > MAX_IN_ALL) this.#drop(this.#mostKept())
  }

  /**
   * @param {number} micros  now
   * @returns {T[]} worst first
   */
  list (micros) {
    this.#forget(micros - MAX_AGE_MICROS)
    return [...this.#byRoute.values()].flat().sort((left, right) => right.durationMicros - left.durationMicros)
  }

  /** The route with the most requests; of several, the one with the shortest request. So no route takes all places. */
  #mostKept () {
    return [...this.#byRoute.values()].reduce((most, requests) => {
      if (requests.length !== most.length) return requests.length > most.length ? requests : most
      return shortestOf(requests) < shortestOf(most) ? requests : most
    })
  }

  /** @param {T[]} requests  of one route; the shortest is dropped */
  #drop (requests) {
    const dropped = /** @type {T} */ (requests.pop())
    if (requests.length === 0) this.#byRoute.delete(dropped.route)
    this.#count--
  }

  /** @param {number} beforeMicros */
  #forget (beforeMicros) {
    for (const [route, requests] of this.#byRoute) {
      const left = requests.filter(({ toMicros }) => toMicros >= beforeMicros)
      this.#count -= requests.length - left.length
      if (left.length === 0) this.#byRoute.delete(route)
      else this.#byRoute.set(route, left)
    }
    this.#oldestMicros = Math.min(...[...this.#byRoute.values()].flat().map(({ toMicros }) => toMicros))
  }
}

/** @param {{ durationMicros: number }[]} requests  worst first */
function shortestOf (requests) {
  return requests[requests.length - 1].durationMicros
}

/**
 * Finds which route's code ran when, from the labelled samples of the last windows.
 * @typedef {Interval & { route: string | null, isGc: boolean }} Run   of consecutive samples; null: no request, or an unknown one
 */
class SampledRuns {
  #maxMicros
  /** In order of time. @type {Run[]} */
  #runs = []

  /** @param {{ hz: number }} parts  the sampling rate */
  constructor ({ hz }) {
    this.#maxMicros = MAX_GAP * 1e6 / hz
  }

  /** @param {CpuProfile} window  with the routes of its samples */
  addWindow (window) {
    const fromMicros = window.endTime - KEEP_MICROS
    this.#runs = [...this.#runs.filter(({ toMicros }) => toMicros > fromMicros), ...runsOf(window, this.#maxMicros)]
  }

  /** @param {number} fromMicros @returns {Run[]} the runs since then, in order */
  since (fromMicros) {
    return this.#runs.filter(({ toMicros }) => toMicros > fromMicros).slice(-MAX_RUNS)
  }
}

/**
 * @param {CpuProfile} window
 * @param {number} maxMicros  the most time that a sample stands for
 * @returns {Run[]} without idle time
 */
function runsOf ({ nodes, samples, timeDeltas, startTime, routes }, maxMicros) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  /** @type {Run[]} */
  const runs = []
  let toMicros = startTime
  samples.forEach((id, index) => {
    toMicros += timeDeltas[index]
    const name = names.get(id)
    if (name === '(idle)' || name === LOOP_IO) return // of the loop's own work only the amount is certain, not when it ran
    const fromMicros = toMicros - Math.min(timeDeltas[index], maxMicros)
    const isGc = name === '(garbage collector)'
    const route = routes?.names[routes.samples[index]] ?? null
    const last = runs.at(-1)
    if (last?.toMicros === fromMicros && last.route === route && last.isGc === isGc) last.toMicros = toMicros
    else runs.push({ fromMicros, toMicros, route, isGc })
  })
  return runs
}

module.exports = { MAX_AGE_MICROS, SETTLED_MICROS, SampledRuns, SlowRequests, Worst }
