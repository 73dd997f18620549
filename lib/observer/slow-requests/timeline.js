'use strict'

// Computes where the time of a request went. The first claim on a moment counts: the garbage collector, requests with measured code, requests seen
// running at about that time, requests with sampled code, and then samples and a late loop, which only show that the loop was busy. Without
// a claim, the request waited for something other than the loop; and while a call was under way, as long as the loop paused before its answer. Pure.

const { sum } = require('../../base/sums')
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { Interval } from '../../probe/loop/own-work' */
/** @import { Answer, Work } from '../../probe/request-notes' */
/** @import { Run } from './slow-requests' */

/** @typedef {Pick<Answer, 'startMicros' | 'route' | 'toMicros'>} Answered  the request that began at startMicros */
/**
 * @typedef {object} Known   each in order of time
 * @property {Work[]} work
 * @property {Run[]} runs
 * @property {Work[]} seen  requests seen running, at moments
 * @property {Interval[]} late  times in which the loop was late
 * @property {Answered[]} answers
 *
 * @typedef {Pick<SlowRequest, 'ownMs' | 'behindMs' | 'behind' | 'gcMs' | 'waitingMs'> & { waits: WaitTime[], pieces: Piece[] }} Timeline  pieces: in
 *   order; at most 200
 *
 * @typedef {Interval & { kind: 'own' | 'behind' | 'gc' | 'waiting', route: string | null }} Piece  route: of the code that it was behind
 *
 * @typedef {{ name: number, calls: number, errors: number, ms: number }} WaitTime  waits for calls of one name, while nothing else held the loop
 *
 * @typedef {Interval & { startMicros: number, route: string, waits: number[][] }} Subject  fromMicros: when it may have arrived; startMicros: when it was
 *   read; waits: as probe/waits/request-waits.js reads them
 */

const MAX_ROUTES = 10
// Between two pieces of work: the loop only looked whether there is more.
const MAX_PAUSE_MICROS = 1000
const OTHER = '_other'
const MAX_PIECES = 200

/** @template {Subject} T @param {readonly T[]} requests @param {Known} known @returns {Map<T, Timeline>} */
function timelinesOf (requests, { work, seen, runs, late, answers }) {
  const gc = runs.filter(({ isGc }) => isGc)
  const code = runs.filter(({ isGc }) => !isGc)
  const busySince = createBusySince({ work, runs, late })
  const claims = { gc, work, seen: extendMoments(seen, { runs: code, late, answers }), ofRoutes: code.filter(({ route }) => route !== null), code, late, answers, busySince }
  return new Map(requests.map(request => [request, timelineOf(request, claims)]))
}

/**
 * @param {Pick<Known, 'work' | 'runs' | 'late'>} known
 * @returns {(micros: number) => number} since when the loop had been busy at that moment, without a pause; the moment itself where it was idle
 */
function createBusySince ({ work, runs, late }) {
  /** @type {Interval[]} in order */
  const busy = []
  for (const { fromMicros, toMicros } of [...work, ...runs, ...late].sort(byTime)) {
    const last = busy.at(-1)
    if (last === undefined || fromMicros > last.toMicros + MAX_PAUSE_MICROS) busy.push({ fromMicros, toMicros })
    else last.toMicros = Math.max(last.toMicros, toMicros)
  }
  return micros => {
    let [first, end] = [0, busy.length]
    while (first < end) {
      const middle = (first + end) >> 1
      if (busy[middle].toMicros + MAX_PAUSE_MICROS >= micros) end = middle
      else first = middle + 1
    }
    return first === busy.length ? micros : Math.min(micros, busy[first].fromMicros)
  }
}

/**
 * @param {Subject} request
 * @param {{ gc: Run[], work: Work[], seen: Work[], ofRoutes: Run[], code: Run[], late: Interval[], answers: Answered[], busySince: (micros: number) => number }} claims
 * @returns {Timeline}
 */
function timelineOf (request, { gc, work, seen, ofRoutes, code, late, answers, busySince }) {
  const shares = new Shares(request, waitedThrough(request, busySince))
  const divide = createDivision(request, answers)
  const byStart = (/** @type {Interval} */ piece, /** @type {Work} */ { startMicros, route }) => {
    if (startMicros === request.startMicros) shares.addOwn(piece)
    else shares.addBehind(route, piece)
  }
  const byNobody = (/** @type {Interval} */ piece) => shares.addBehind(null, piece)

  shares.take(gc, piece => shares.addGc(piece))
  shares.take(work, byStart)
  shares.take(seen, byStart)
  shares.take(ofRoutes, (piece, { route }) => {
    const { ofOthers, own } = route === request.route ? divide(piece) : { ofOthers: piece, own: null }
    if (own !== null) shares.addOwn(own)
    if (ofOthers !== null) shares.addBehind(route, ofOthers)
  })
  shares.take(code, byNobody)
  shares.take(late, byNobody)
  return { ...shares.read(), waits: request.waits.map(wait => shares.waited(wait)) }
}

/**
 * When what the loop did for others did not delay the request: a call was under way, and the loop had a pause before its answer was read. The answer may
 * have come while the loop was busy, without a pause, right until then; it had not come before.
 * @param {Subject} request
 * @param {(micros: number) => number} busySince
 * @returns {Interval[]} in order, apart
 */
function waitedThrough ({ waits, toMicros }, busySince) {
  /** @type {Interval[]} */
  const spans = []
  for (const call of waits.flatMap(([, , , , ...moments]) => intervalsOf(moments))) {
    // A call that outlasts the request may be one that it does not wait for.
    if (call.toMicros < toMicros) spans.push({ fromMicros: call.fromMicros, toMicros: busySince(call.toMicros) })
  }
  return joined(spans.filter(span => lengthOf(span) > 0))
}

/**
 * Samples have a route, not a request: of several requests of one route, code counts for the one that ended next.
 * @param {Subject} request
 * @param {Answered[]} answers
 * @returns {(piece: Interval) => { ofOthers: Interval | null, own: Interval | null }}
 */
function createDivision (request, answers) {
  const others = answers.filter(({ route, startMicros, toMicros }) => {
    return route === request.route && startMicros !== request.startMicros && toMicros > request.fromMicros && toMicros < request.toMicros
  })
  // What ran after the end of the last other request ran for this one.
  const lastMicros = Math.max(-Infinity, ...others.map(({ toMicros }) => toMicros))
  return ({ fromMicros, toMicros }) => ({
    ofOthers: fromMicros < lastMicros ? { fromMicros, toMicros: Math.min(toMicros, lastMicros) } : null,
    own: toMicros > lastMicros ? { fromMicros: Math.max(fromMicros, lastMicros), toMicros } : null
  })
}

/**
 * Extends requests seen running at one moment to a time range: while the samples around it are of one kind, or else while the loop was late;
 * at the earliest from the end of the request before, and at the latest until their own end.
 * @param {Work[]} seen  at moments, in order
 * @param {Pick<Known, 'runs' | 'late' | 'answers'>} known
 * @returns {Work[]} in order, not overlapping
 */
function extendMoments (seen, { runs, late, answers }) {
  /** @type {Work[]} */
  const found = []
  let lastMicros = -Infinity
  for (const moment of seen) {
    const around = aroundMoment(runs, moment) ?? aroundMoment(late, moment)
    if (around === undefined) continue
    const work = { ...moment, ...within(around, moment, answers) }
    const before = found.at(-1)
    // When one request gave way to the next is unknown: the middle is assumed.
    if (before !== undefined && before.toMicros > moment.fromMicros) before.toMicros = (lastMicros + moment.fromMicros) / 2
    work.fromMicros = Math.max(work.fromMicros, before?.toMicros ?? -Infinity)
    found.push(work)
    lastMicros = moment.fromMicros
  }
  return found
}

/** @param {Interval[]} intervals @param {Work} moment */
function aroundMoment (intervals, { fromMicros: micros }) {
  return intervals.find(({ fromMicros, toMicros }) => fromMicros <= micros && micros <= toMicros)
}

/** @param {Interval} around @param {Work} moment @param {Answered[]} answers @returns {Interval} */
function within (around, { fromMicros: micros, startMicros }, answers) {
  const before = answers.filter(({ toMicros }) => toMicros <= micros).map(({ toMicros }) => toMicros)
  const own = answers.filter(answer => answer.startMicros === startMicros && answer.toMicros >= micros).map(({ toMicros }) => toMicros)
  return { fromMicros: Math.max(around.fromMicros, startMicros, ...before), toMicros: Math.min(around.toMicros, ...own) }
}

/** The time of one request, assigned piece by piece: the first claim counts. */
class Shares {
  #time
  /** In order. @type {Interval[]} */
  #free
  #waitedThrough
  #ownMicros = 0
  #gcMicros = 0
  /** @type {Map<string | null, number>} */
  #behind = new Map()
  /** @type {Piece[]} */
  #pieces = []
  /** While the loop worked for others. @type {Interval[]} */
  #waited = []

  /** @param {Interval} time @param {Interval[]} waitedThrough  what the loop does for others does not matter then */
  constructor ({ fromMicros, toMicros }, waitedThrough) {
    this.#time = { fromMicros, toMicros }
    this.#free = [this.#time]
    this.#waitedThrough = waitedThrough
  }

  /**
   * @template {Interval} T
   * @param {readonly T[]} claims  in order
   * @param {(piece: Interval, claim: T) => void} onTaken  called for each piece that was free
   */
  take (claims, onTaken) {
    this.#free = take(this.#free, overlapping(claims, this.#time), onTaken)
  }

  /** @param {Interval} piece */
  addOwn (piece) {
    this.#ownMicros += lengthOf(piece)
    this.#pieces.push({ ...piece, kind: 'own', route: null })
  }

  /** @param {Interval} piece */
  addGc (piece) {
    this.#gcMicros += lengthOf(piece)
    this.#pieces.push({ ...piece, kind: 'gc', route: null })
  }

  /** @param {string | null} route @param {Interval} piece */
  addBehind (route, piece) {
    const delayed = take([piece], this.#waitedThrough, waited => this.#waited.push(waited))
    this.#behind.set(route, (this.#behind.get(route) ?? 0) + sum(delayed, lengthOf))
    for (const part of delayed) this.#pieces.push({ ...part, kind: 'behind', route })
  }

  /** The request waited for something other than the loop. In order. */
  get #waiting () {
    return this.#waited.length === 0 ? this.#free : joined([...this.#free, ...this.#waited])
  }

  /**
   * The time in which the request waited for calls; it may wait for several at once.
   * @param {number[]} wait
   * @returns {WaitTime}
   */
  waited ([name, calls, errors, micros, ...moments]) {
    let [noted, free] = [0, 0]
    const waiting = this.#waiting
    for (const span of intervalsOf(moments)) {
      noted += lengthOf(span)
      take(waiting, [span], piece => { free += lengthOf(piece) })
    }
    // Of very many calls only the first are noted one by one: the others are assumed to have met an equally busy loop.
    return { name, calls, errors, ms: toMs(noted === 0 ? 0 : free * micros / noted) }
  }

  /** @returns {Omit<Timeline, 'waits'>} */
  read () {
    const longest = [...this.#behind].map(([route, micros]) => ({ route, micros })).sort((left, right) => right.micros - left.micros)
    const others = { route: OTHER, micros: sum(longest.slice(MAX_ROUTES), ({ micros }) => micros) }
    return {
      ownMs: toMs(this.#ownMicros),
      behindMs: toMs(sum(longest, ({ micros }) => micros)),
      behind: [...longest.slice(0, MAX_ROUTES), others].map(({ route, micros }) => ({ route, ms: toMs(micros) })).filter(({ ms }) => ms > 0),
      gcMs: toMs(this.#gcMicros),
      waitingMs: toMs(sum(this.#waiting, lengthOf)),
      pieces: inOrder([...this.#pieces, ...this.#waiting.map(piece => /** @type {Piece} */ ({ ...piece, kind: 'waiting', route: null }))])
    }
  }
}

/**
 * @param {Piece[]} pieces  that do not overlap
 * @returns {Piece[]} in order, without breaks in what is alike
 */
function inOrder (pieces) {
  /** @type {Piece[]} */
  const found = []
  for (const piece of pieces.sort(byTime)) {
    const last = found.at(-1)
    if (last !== undefined && last.kind === piece.kind && last.route === piece.route && last.toMicros === piece.fromMicros) last.toMicros = piece.toMicros
    else found.push(piece)
  }
  return found.slice(0, MAX_PIECES)
}

/**
 * @template {Interval} T
 * @param {Interval[]} free   in order
 * @param {readonly T[]} claims  in order
 * @param {(piece: Interval, claim: T) => void} onTaken
 * @returns {Interval[]} what is left
 */
function take (free, claims, onTaken) {
  /** @type {Interval[]} */
  const left = []
  let first = 0
  for (const { fromMicros, toMicros } of free) {
    let at = fromMicros
    while (first < claims.length && claims[first].toMicros <= at) first++
    for (let index = first; index < claims.length && claims[index].fromMicros < toMicros; index++) {
      const claim = claims[index]
      const piece = { fromMicros: Math.max(at, claim.fromMicros), toMicros: Math.min(toMicros, claim.toMicros) }
      if (piece.toMicros <= piece.fromMicros) continue
      if (piece.fromMicros > at) left.push({ fromMicros: at, toMicros: piece.fromMicros })
      onTaken(piece, claim)
      at = piece.toMicros
    }
    if (at < toMicros) left.push({ fromMicros: at, toMicros })
  }
  return left
}

/** @param {Interval[]} intervals @returns {Interval[]} the same time, in order and apart */
function joined (intervals) {
  /** @type {Interval[]} */
  const found = []
  for (const { fromMicros, toMicros } of intervals.sort(byTime)) {
    const last = found.at(-1)
    if (last === undefined || fromMicros > last.toMicros) found.push({ fromMicros, toMicros })
    else last.toMicros = Math.max(last.toMicros, toMicros)
  }
  return found
}

/** @template {Interval} T @param {readonly T[]} all @param {Interval} time */
function overlapping (all, { fromMicros, toMicros }) {
  return all.filter(one => one.toMicros > fromMicros && one.fromMicros < toMicros)
}

/**
 * @param {number[]} moments  begins and ends
 * @returns {Interval[]}
 */
function intervalsOf (moments) {
  const intervals = []
  for (let index = 0; index + 1 < moments.length; index += 2) intervals.push({ fromMicros: moments[index], toMicros: moments[index + 1] })
  return intervals
}

/** @param {Interval} interval */
function lengthOf ({ fromMicros, toMicros }) {
  return toMicros - fromMicros
}

/** @param {Interval} left @param {Interval} right */
function byTime (left, right) {
  return left.fromMicros - right.fromMicros
}

/** @param {number} micros */
function toMs (micros) {
  return Math.round(micros / 100) / 10
}

module.exports = { byTime, createBusySince, intervalsOf, lengthOf, overlapping, take, timelinesOf, toMs }
