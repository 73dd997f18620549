'use strict'

// Splits recorded requests into what a replay needs: their own time on the loop, how much of it is the culprit's, and how long they waited for
// something else. The first synchronous code of a request is measured exactly; the rest comes from samples. Pure.

const { groupBy, sum } = require('../../base/sums')
/** @import { Background } from './queue' */
/** @import { LoggedRequest, Stretch } from './request-history' */

/**
 * @typedef {object} BusySample  of the busy loop
 * @property {number} atMicros  on the monotonic clock
 * @property {number} micros    the time that it stands for
 * @property {string | null} route  null: no request, or an unknown one
 * @property {number} spot      the index of its hot spot; -1: none
 * @property {'code' | 'engine' | 'io'} kind  engine: V8's own work, such as collections, for whatever code is around it. io: the loop's own, of which
 *   only the amount is certain, not when it ran
 *
 * @typedef {object} ModelRequest  milliseconds since the begin of the stretch
 * @property {string} route
 * @property {number} connection
 * @property {number} earliestMs  when it may have arrived
 * @property {number} latestMs    when it must have arrived
 * @property {number} busySinceMs since when the loop had been busy when it was read
 * @property {number} endMs
 * @property {number} firstMs     its own first time on the loop, without the culprit
 * @property {number} firstCulpritMs
 * @property {number} secondMs    its own time on the loop after it has waited
 * @property {number} secondCulpritMs
 * @property {number} waitMs
 * @property {number} mostWaitMs   waitMs, or more where the loop was busy during all of the wait: then only its limits are known
 * @property {number} leastWaitMs  that the requests of its route wait, whatever the loop does: the duration of a timer
 *
 * @typedef {Background & { isCulprit: boolean }} Work  of no request
 * @typedef {{ lengthMs: number, requests: ModelRequest[], background: Work[] }} ModelStretch  requests by start
 *
 * @typedef {{ isCulprit: (sample: BusySample) => boolean, isRoute?: string }} Change  isRoute: all that this route does is the culprit
 */

// A shorter run without a route is overhead of the requests around it: parsing, sockets, the framework.
const MIN_BACKGROUND_MICROS = 20_000
// In a shorter turn there are too few samples to divide it by: the samples of all turns of its route do that.
const MIN_DIVISIBLE_MICROS = 50_000
// Less waiting is the way through the loop.
const MIN_WAIT_MS = 0.3
// A request with at most this share of its time behind other code shows how long it waits.
const CALM_SHARE = 0.1
const MIN_CALM = 5
// Nearly all requests of a route wait longer. Those that end before they wait, because of an error, are fewer.
const LEAST_WAIT = 0.05
const MIN_DIFFERENCE = 0.3
const MAX_MISSED_MICROS = 20_000
// For so long a busy loop leaves a request unread before the heartbeat is late.
const UNNOTICED_MICROS = 25_000
// Between two pieces of work the loop only looked whether there is more.
const MAX_PAUSE_MICROS = 500
const MAX_UNSEEN_MICROS = 10_000
// Of the requests that ended next, one of so many was under way.
const MAX_ENDING = 100

/**
 * @param {Stretch} stretch
 * @param {readonly BusySample[]} samples  in order
 * @param {Change} change
 * @returns {ModelStretch}
 */
function modelStretch ({ fromMicros, toMicros, requests: logged }, samples, change) {
  const requests = logged.map(request => new Subject(request)).sort((left, right) => left.startMicros - right.startMicros)
  const inTime = samples.filter(({ atMicros }) => atMicros > fromMicros && atMicros <= toMicros)
  const outside = divideTurns(requests, inTime, change)
  const { background, overheadMicros, overheadCulpritMicros } = divideRest(requests, outside, fromMicros, change)
  const busy = new BusyTime(requests, outside)
  addWaits(requests, busy.between)
  const each = overheadMicros / Math.max(1, requests.length) / 1e3
  const eachCulprit = overheadCulpritMicros / Math.max(1, requests.length) / 1e3
  const latest = latestArrivals(requests)
  const since = requests.map(({ startMicros, arrivedMicros }) => Math.min(busy.since(startMicros), arrivedMicros))
  return {
    lengthMs: (toMicros - fromMicros) / 1e3,
    background,
    requests: requests.map((request, index) => {
      const isOwn = change.isRoute === request.route
      const [turnMs, turnCulpritMs] = [request.turnMicros / 1e3, isOwn ? request.turnMicros / 1e3 : request.turnCulpritMicros / 1e3]
      const [laterMs, laterCulpritMs] = [request.laterMicros / 1e3, isOwn ? request.laterMicros / 1e3 : request.laterCulpritMicros / 1e3]
      const isWaiting = request.waitMs >= MIN_WAIT_MS
      return {
        route: request.route,
        connection: request.connection,
        earliestMs: (Math.min(request.arrivedMicros, Math.max(since[index], request.arrivedMicros - UNNOTICED_MICROS)) - fromMicros) / 1e3,
        busySinceMs: (since[index] - fromMicros) / 1e3,
        latestMs: (latest[index] - fromMicros) / 1e3,
        endMs: (request.endMicros - fromMicros) / 1e3,
        firstMs: turnMs - turnCulpritMs + each - eachCulprit + (isWaiting ? 0 : laterMs - laterCulpritMs),
        firstCulpritMs: turnCulpritMs + eachCulprit + (isWaiting ? 0 : laterCulpritMs),
        secondMs: isWaiting ? laterMs - laterCulpritMs : 0,
        secondCulpritMs: isWaiting ? laterCulpritMs : 0,
        waitMs: isWaiting ? request.waitMs : 0,
        mostWaitMs: isWaiting ? Math.max(request.waitMs, request.mostWaitMs) : 0,
        leastWaitMs: isWaiting ? Math.min(request.waitMs, request.leastWaitMs) : 0
      }
    })
  }
}

/** A request while its time is divided. */
class Subject {
  laterMicros = 0
  laterCulpritMicros = 0
  turnCulpritMicros = 0
  /** Of its turn, by samples. */
  sampledMicros = 0
  waitMs = 0
  mostWaitMs = 0
  leastWaitMs = 0

  /** @param {LoggedRequest} request */
  constructor ({ route, arrivedMicros, startMicros, endMicros, turnMicros, connection }) {
    this.route = route
    this.arrivedMicros = Math.min(arrivedMicros, startMicros)
    this.startMicros = startMicros
    this.endMicros = endMicros
    this.turnMicros = Math.min(turnMicros, endMicros - startMicros)
    this.connection = connection
  }

  /**
   * Completes what samples show of it: samples miss up to the time between two of them at each end.
   * @param {number} share  of the culprit in the work of its route
   * @returns {number} what is added
   */
  fill (share) {
    if (this.laterMicros === 0) return 0
    const roomMicros = this.endMicros - this.startMicros - this.turnMicros
    const isWhole = this.turnMicros === 0 && this.laterMicros >= roomMicros / 2 && roomMicros - this.laterMicros <= MAX_MISSED_MICROS
    const laterMicros = isWhole ? roomMicros : this.laterMicros
    const addedMicros = laterMicros - this.laterMicros
    this.laterCulpritMicros = laterMicros * smoothed(ratio(this.laterCulpritMicros, this.laterMicros), share)
    this.laterMicros = laterMicros
    return addedMicros
  }
}

/**
 * @param {Subject[]} requests  by start
 * @param {BusySample[]} samples
 * @param {Change} change
 * @returns {BusySample[]} those outside of the measured turns
 */
function divideTurns (requests, samples, { isCulprit }) {
  const turns = requests.filter(({ turnMicros }) => turnMicros > 0)
  /** @type {BusySample[]} */
  const outside = []
  let at = 0
  for (const sample of samples) {
    while (at < turns.length && turns[at].startMicros + turns[at].turnMicros < sample.atMicros) at++
    const turn = turns[at]
    if (turn === undefined || turn.startMicros > sample.atMicros || sample.kind === 'io') outside.push(sample)
    else if (sample.kind === 'code') {
      turn.sampledMicros += sample.micros
      if (isCulprit(sample)) turn.turnCulpritMicros += sample.micros
    }
  }
  for (const some of groupBy(turns, ({ route }) => route).values()) {
    const short = some.filter(({ turnMicros }) => turnMicros < MIN_DIVISIBLE_MICROS)
    const share = ratio(sum(short, ({ turnCulpritMicros }) => turnCulpritMicros), sum(short, ({ sampledMicros }) => sampledMicros))
    const long = some.filter(({ turnMicros }) => turnMicros >= MIN_DIVISIBLE_MICROS)
    const shareOfLong = ratio(sum(long, ({ turnCulpritMicros }) => turnCulpritMicros), sum(long, ({ sampledMicros }) => sampledMicros))
    for (const turn of some) {
      const own = turn.turnMicros < MIN_DIVISIBLE_MICROS ? share : smoothed(ratio(turn.turnCulpritMicros, turn.sampledMicros), shareOfLong)
      turn.turnCulpritMicros = turn.turnMicros * own
    }
  }
  return outside
}

/**
 * Work of a route counts for its request that ended next, as far as that was under way; what is left over is divided equally.
 * @param {Subject[]} requests
 * @param {BusySample[]} samples  outside of the measured turns
 * @param {number} beginMicros
 * @param {Change} change
 */
function divideRest (requests, samples, beginMicros, { isCulprit }) {
  const background = new BackgroundWork(beginMicros)
  const routes = new Map([...groupBy(requests.toSorted((left, right) => left.endMicros - right.endMicros), ({ route }) => route)].map(([route, some]) => {
    return [route, { some, next: 0, leftMicros: 0, leftCulpritMicros: 0 }]
  }))
  for (const sample of samples) {
    const isOfCulprit = isCulprit(sample)
    const state = sample.route === null ? undefined : routes.get(sample.route)
    if (state === undefined) {
      background.add(sample, isOfCulprit)
      continue
    }
    const { some } = state
    while (state.next < some.length && some[state.next].endMicros < sample.atMicros) state.next++
    let left = sample.micros
    const request = some.slice(state.next, state.next + MAX_ENDING).find(({ startMicros }) => startMicros <= sample.atMicros)
    if (request !== undefined) {
      const roomMicros = request.endMicros - request.startMicros - request.turnMicros - request.laterMicros
      const own = Math.max(0, Math.min(roomMicros, left))
      request.laterMicros += own
      if (isOfCulprit) request.laterCulpritMicros += own
      left -= own
    }
    state.leftMicros += left
    if (isOfCulprit) state.leftCulpritMicros += left
  }
  for (const { some, leftMicros, leftCulpritMicros } of routes.values()) {
    const share = ratio(sum(some, ({ laterCulpritMicros }) => laterCulpritMicros), sum(some, ({ laterMicros }) => laterMicros))
    const addedMicros = sum(some, request => request.fill(share))
    const left = Math.max(0, leftMicros - addedMicros)
    for (const request of some) {
      request.laterMicros += left / some.length
      request.laterCulpritMicros += left * ratio(leftCulpritMicros, leftMicros) / some.length
    }
  }
  return background.read()
}

/** Work without a route: long stretches are work of no request, and short ones overhead of all. */
class BackgroundWork {
  #beginMicros
  #overheadMicros = 0
  #overheadCulpritMicros = 0
  /** @type {{ atMicros: number, micros: number, culpritMicros: number, sinceMicros: number }[]} */
  #stretches = []

  /** @param {number} beginMicros */
  constructor (beginMicros) {
    this.#beginMicros = beginMicros
  }

  /** @param {BusySample} sample @param {boolean} isOfCulprit */
  add ({ atMicros, micros, kind }, isOfCulprit) {
    if (kind === 'io') {
      this.#overheadMicros += micros
      return
    }
    const last = this.#stretches.at(-1)
    const culpritMicros = isOfCulprit ? micros : 0
    if (last === undefined || atMicros - last.atMicros > micros * 1.5) this.#stretches.push({ atMicros, micros, culpritMicros, sinceMicros: atMicros - micros })
    else {
      last.atMicros = atMicros
      last.micros += micros
      last.culpritMicros += culpritMicros
    }
  }

  read () {
    /** @type {Work[]} */
    const background = []
    for (const { micros, culpritMicros, sinceMicros } of this.#stretches) {
      if (micros >= MIN_BACKGROUND_MICROS) background.push({ atMs: (sinceMicros - this.#beginMicros) / 1e3, ms: micros / 1e3, isCulprit: culpritMicros * 2 > micros })
      else {
        this.#overheadMicros += micros
        this.#overheadCulpritMicros += culpritMicros
      }
    }
    return { background, overheadMicros: this.#overheadMicros, overheadCulpritMicros: this.#overheadCulpritMicros }
  }
}

/**
 * How long each request waited for something other than the loop. Where other code blocked it meanwhile, that is not known exactly: it is what calm
 * requests of its route waited; without such requests, it is between the busy time left over and what the fastest of them leave.
 * @param {Subject[]} requests
 * @param {(fromMicros: number, toMicros: number) => number} busyBetween
 */
function addWaits (requests, busyBetween) {
  for (const some of groupBy(requests, ({ route }) => route).values()) {
    const usualLaterMicros = quantile(some.map(({ laterMicros }) => laterMicros), 0.5)
    const bounds = some.map(({ startMicros, endMicros, turnMicros, laterMicros }) => {
      const [all, own] = [endMicros - startMicros, turnMicros + laterMicros]
      const busy = Math.max(own, busyBetween(startMicros, endMicros))
      return { least: Math.max(0, all - busy), most: Math.max(0, all - own), isCalm: busy - own <= all * CALM_SHARE, isAlone: busy === own && laterMicros <= usualLaterMicros }
    })
    const calm = bounds.filter(({ isCalm }) => isCalm)
    const typical = calm.length >= MIN_CALM ? quantile(calm.map(({ least }) => least), 0.5) : quantile(bounds.map(({ least }) => least), 0.25)
    const isKnown = calm.length >= MIN_CALM
    // Nothing else ran meanwhile, and no sample that stands for more time than there was.
    const alone = bounds.filter(({ isAlone }) => isAlone)
    const leastOfRoute = quantile((alone.length >= MIN_CALM ? alone : bounds).map(({ least }) => least), LEAST_WAIT)
    const mostOfRoute = isKnown ? 0 : quantile(bounds.map(({ most }) => most), LEAST_WAIT)
    some.forEach((request, index) => {
      const { least, most } = bounds[index]
      request.waitMs = Math.min(most, Math.max(least, typical)) / 1e3
      request.mostWaitMs = Math.min(most, mostOfRoute) / 1e3
      request.leastWaitMs = leastOfRoute / 1e3
    })
  }
}

/** When the loop was busy. */
class BusyTime {
  /** In order; missedMicros: it may have gone on, up to the next sample; sinceMicros: busy without a pause; before: the busy time before it. @type {{ fromMicros: number, micros: number, missedMicros: number, sinceMicros: number, before: number }[]} */
  #pieces = []

  /**
   * @param {Subject[]} requests  by start
   * @param {BusySample[]} samples  outside of the measured turns
   */
  constructor (requests, samples) {
    const turns = requests.filter(({ turnMicros }) => turnMicros > 0).map(({ startMicros, turnMicros }) => ({ fromMicros: startMicros, micros: turnMicros, missedMicros: 0 }))
    const others = samples.filter(({ kind }) => kind !== 'io').map(({ atMicros, micros }) => ({ fromMicros: atMicros - micros, micros, missedMicros: Math.min(micros, MAX_UNSEEN_MICROS) }))
    let [before, untilMicros, sinceMicros] = [0, -Infinity, 0]
    for (const { fromMicros, micros, missedMicros } of [...turns, ...others].sort((left, right) => left.fromMicros - right.fromMicros)) {
      if (fromMicros > untilMicros + MAX_PAUSE_MICROS) sinceMicros = fromMicros
      this.#pieces.push({ fromMicros, micros, missedMicros, sinceMicros, before })
      before += micros
      untilMicros = Math.max(untilMicros, fromMicros + micros + missedMicros)
    }
  }

  /** @param {number} fromMicros @param {number} toMicros */
  between = (fromMicros, toMicros) => this.#until(toMicros) - this.#until(fromMicros)

  /** @param {number} micros @returns {number} since when it had been busy; the moment itself where it was idle */
  since (micros) {
    const last = this.#lastBefore(micros)
    return last === undefined || last.fromMicros + last.micros + last.missedMicros + MAX_PAUSE_MICROS < micros ? micros : last.sinceMicros
  }

  /** @param {number} micros */
  #until (micros) {
    const last = this.#lastBefore(micros)
    return last === undefined ? 0 : last.before + Math.min(last.micros, micros - last.fromMicros)
  }

  /** @param {number} micros */
  #lastBefore (micros) {
    let [low, high] = [0, this.#pieces.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#pieces[middle].fromMicros < micros) low = middle + 1
      else high = middle
    }
    return this.#pieces[low - 1]
  }
}

/**
 * What a late loop reads at once had arrived before it read the first of them.
 * @param {Subject[]} requests  by start
 */
function latestArrivals (requests) {
  /** @type {Map<number, number>} */
  const firstRead = new Map()
  for (const { arrivedMicros, startMicros } of requests) if (!firstRead.has(arrivedMicros)) firstRead.set(arrivedMicros, startMicros)
  return requests.map(({ arrivedMicros, startMicros }) => Math.min(startMicros, /** @type {number} */ (firstRead.get(arrivedMicros))))
}

/** @param {readonly number[]} values @param {number} share */
function quantile (values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted.length === 0 ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/**
 * A small difference may be one sample: then the request counts as one like the others of its route.
 * @param {number} share  of one
 * @param {number} usual  of all
 */
function smoothed (share, usual) {
  return Math.abs(share - usual) < MIN_DIFFERENCE ? usual : share
}

/** @param {number} part @param {number} whole */
function ratio (part, whole) {
  return whole === 0 ? 0 : Math.min(1, part / whole)
}

module.exports = { modelStretch, quantile }
