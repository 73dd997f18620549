'use strict'

// Predicts how long requests would take if a part of the work were faster, gone, or in the thread pool: the recorded requests are replayed. A
// prediction is a range: it covers what is not known about the clients and the pool, and is wider where few requests were seen. There is none where the
// replay without a change does not reproduce what was measured. Pure.

const { countBy, sum } = require('../../base/sums')
const { modelStretch, quantile } = require('./request-model')
const { replayQueue } = require('./queue')

/** @import { Prediction, PredictedQuantile, RoutePrediction } from '../../../types/what-if' */
/** @import { Job, Replay } from './queue' */
/** @import { Stretch } from './request-history' */
/** @import { BusySample, Change, ModelRequest, ModelStretch } from './request-model' */

const MIN_REQUESTS = 40
const MIN_STRETCH_REQUESTS = 10
const MAX_ROUTES = 20
// The replay must give the quantiles that were measured, as nearly as this.
const REPRODUCED_SHARE = 0.3
const REPRODUCED_MS = 4
// Beyond this share of the time in which the machine had no CPU for the process, its durations are not those of its own queue.
const MAX_STARVED_SHARE = 0.5
// Of the range, at each side: what differs between two runs of the same program, and more where fewer requests were seen.
const MARGIN = 0.2
const MARGIN_MS = 3
// Where other processes use the CPUs, a free loop waits for one, too: at times for several slices of the scheduler.
const STARVED_MARGIN_MS = 20
// Where few requests lie between two of very different durations, a quantile is a matter of chance: those beside it count as well.
const BESIDE = Object.freeze({ p50: 0.06, p95: 0.02 })
const MAX_CORRECTION = 1.35
// Of the requests of a route, so few may wait less than its least wait: in other stretches, or because they end before it.
const LEAST_WAIT = 0.05
// A client that sends its next request this soon after an answer waited for that answer. The connections of a pool that sends at other times are idle
// for much of the time, since some of them are there for the busiest moments only.
const SOON_MS = 4
const MIN_SOON_SHARE = 0.5
const CLOSED_IDLE_SHARE = 0.2
const OPEN_IDLE_SHARE = 0.6
const MIN_KEPT_SHARE = 0.2
// In a loop that is busy all the time even the shorter ones of the gaps between requests hold a wait in the socket.
const USUAL_GAP = 0.05
// What is left on the loop of work that has moved to the pool: the call and its callback.
const HAND_OVER_MS = 0.15
const GOLDEN = 0.618034

/** @typedef {'open' | 'closed' | 'unknown'} Clients */

/**
 * @typedef {object} Pool
 * @property {number} threads
 * @property {number} cpus
 * @property {number} others  how many other threads than the loop and these want to run on the CPUs, on average
 *
 * @typedef {object} Question
 * @property {readonly Stretch[]} stretches
 * @property {readonly BusySample[]} samples  in order
 * @property {Change} change
 * @property {number} scale  what is left of the culprit's time: 0 to 1, or more
 * @property {Pool | null} pool  the culprit moves there; null: it stays on the loop
 * @property {number} [starvedShare]  of the time in which the process waited for a CPU
 */

/** @param {Question} question @returns {Omit<Prediction, 'change'>} */
function predict ({ stretches, samples, change, scale, pool, starvedShare = 0 }) {
  const models = stretches.filter(({ requests }) => requests.length >= MIN_STRETCH_REQUESTS).map(stretch => modelStretch(stretch, samples, change))
  const all = models.flatMap(({ requests }) => requests)
  const about = { seconds: round(sum(models, ({ lengthMs }) => lengthMs) / 1e3, 1), requests: all.length }
  if (all.length < MIN_REQUESTS) return none(tooFew(sum(stretches, ({ requests }) => requests.length)), about)
  if (starvedShare > MAX_STARVED_SHARE) return none(`the process waited ${Math.round(starvedShare * 100)} % of the time for a CPU`, about)
  const culpritMs = sum(all, culpritOf) + sum(models, ({ background }) => culpritIn(background))
  if (culpritMs === 0) return none('the recorded requests do not show its time', about)

  const clients = clientsOf(models)
  const names = routesOf(all)
  const waits = all.some(({ waitMs, mostWaitMs }) => mostWaitMs > waitMs) ? /** @type {const} */ (['waitMs', 'mostWaitMs']) : /** @type {const} */ (['waitMs'])
  const modes = (clients === 'unknown' ? [false, true] : [clients === 'closed']).flatMap(isClosed => {
    const timed = models.map(model => withArrivals(model, isClosed, clients === 'open'))
    const measured = quantilesOf(measuredIn(timed, names))
    return waits.flatMap(wait => (isClosed ? [true, false] : [true]).map(isInArrivalOrder => {
      const run = (/** @type {number} */ kept, /** @type {number | null} */ servers, slowdown = 1) => {
        return replayed(timed, { names, kept, servers, slowdown, isClosed, isInArrivalOrder, wait })
      }
      const before = run(1, null)
      return { wait, measured, before, base: quantilesOf(before.durations), run }
    }))
  })
  const routes = names.slice(0, MAX_ROUTES).map((route, index) => predictRoute(route, index, modes, all))
  const covered = sum(routes, ({ reason, requests }) => reason === null ? requests : 0)
  if (covered < all.length / 2) return none(routes.find(({ reason }) => reason !== null)?.reason ?? 'too few requests were seen of each route', about)
  const predicted = modes.map(({ before, run }) => {
    const after = run(scale, pool?.threads ?? null)
    if (pool === null) return [quantilesOf(after.durations)]
    // In the worst case all of its threads, the loop and the others want to run at once, and the scheduler divides the CPUs equally.
    const servers = Math.min(pool.threads, pool.cpus)
    const slower = run(scale, servers, crowding(pool, after.loopShare + servers) / crowding(pool, before.loopShare))
    return [after, slower].map(({ durations }) => quantilesOf(durations))
  })
  const culprits = all.filter(request => culpritOf(request) > 0).length
  for (const [index, row] of routes.entries()) {
    if (row.reason !== null) continue
    const reproduced = modes.filter(({ base, measured }) => isReproduced(base[index], measured[index]))
    // In which order the loop reads after the change is not known: both count.
    const usable = [...modes.keys()].filter(mode => reproduced.some(({ wait, measured }) => wait === modes[mode].wait && measured === modes[mode].measured))
    const floorMs = quantile(all.filter(request => request.route === row.route).map(({ leastWaitMs }) => leastWaitMs), LEAST_WAIT)
    // Of a p95 only a twentieth of the requests is beyond it.
    const of = (/** @type {'p50' | 'p95'} */ name) => rangeOf(usable.flatMap(mode => predicted[mode].map(after => {
      return { now: modes[mode].measured[index][name].value, base: modes[mode].base[index][name].value, after: after[index][name] }
    })), { seen: Math.min(name === 'p50' ? row.requests : row.requests / 5, culprits), starvedShare, floorMs, isLess: pool === null && scale <= 1 })
    row.p50Ms = of('p50')
    row.p95Ms = of('p95')
  }
  return { reason: null, ...about, clients, maxSpeedUp: speedUp(models, { scale, pool }), routes: routes.filter(({ requests }) => requests > 0) }
}

/** The slowdown by sharing the CPUs: 1 is none. @param {Pool} pool @param {number} threads  of ours that want to run */
function crowding ({ cpus, others }, threads) {
  return Math.max(1, (threads + others) / cpus)
}

/** @param {number} requests */
function tooFew (requests) {
  if (requests === 0) return 'no requests were seen'
  return requests < MIN_REQUESTS ? `only ${requests} requests were seen, fewer than ${MIN_REQUESTS}` : 'too few requests were seen at a time'
}

/** @param {string} reason @param {{ seconds: number, requests: number }} about @returns {Omit<Prediction, 'change'>} */
function none (reason, about) {
  return { reason, ...about, clients: null, maxSpeedUp: null, routes: [] }
}

/** @param {readonly ModelRequest[]} requests */
function routesOf (requests) {
  return [...countBy(requests, ({ route }) => route)].sort(([, left], [, right]) => right - left).map(([route]) => route)
}

/** @param {ModelRequest} request */
function culpritOf ({ firstCulpritMs, secondCulpritMs }) {
  return firstCulpritMs + secondCulpritMs
}

/** @param {ModelStretch['background']} background */
function culpritIn (background) {
  return sum(background, ({ ms, isCulprit }) => isCulprit ? ms : 0)
}

/**
 * Whether the clients send at their own times (open), or each of them only when it has the answer to its request before (closed).
 * @param {readonly ModelStretch[]} models
 * @returns {Clients}
 */
function clientsOf (models) {
  let [all, kept, soon, idleMs, spanMs] = [0, 0, 0, 0, 0]
  for (const { requests } of models) {
    /** @type {Map<number, number>} */
    const ends = new Map()
    for (const { connection, earliestMs, endMs } of requests) {
      all++
      if (connection === 0) continue
      const before = ends.get(connection)
      ends.set(connection, endMs)
      if (before === undefined) continue
      const gapMs = earliestMs - before
      kept++
      spanMs += endMs - before
      if (gapMs <= SOON_MS) soon++
      else idleMs += gapMs
    }
  }
  if (kept < all * MIN_KEPT_SHARE || idleMs >= spanMs * OPEN_IDLE_SHARE) return 'open'
  return soon >= kept * MIN_SOON_SHARE && idleMs <= spanMs * CLOSED_IDLE_SHARE ? 'closed' : 'unknown'
}

/**
 * @typedef {object} Variant  of a replay
 * @property {number} kept  of the culprit's time
 * @property {number | null} servers  of the pool; null: it stays on the loop
 * @property {number} slowdown  of whatever needs a CPU: 1 is as now
 * @property {'waitMs' | 'mostWaitMs'} wait
 */

/** @typedef {{ request: ModelRequest } & Pick<Job, 'arrivalMs' | 'gapMs' | 'isNext'>} Timed */

/**
 * When each request arrived, where the loop was late: a closed client sent it a usual moment after its answer; others, at any time.
 * @param {ModelStretch} model
 * @param {boolean} isClosed
 * @param {boolean} [isOpen]  false: not known. Clients of their own times send some requests as soon as they have an answer, too
 * @returns {{ model: ModelStretch, timed: Timed[] }}
 */
function withArrivals (model, isClosed, isOpen = !isClosed) {
  /** @type {Map<number, number>} */
  const ends = new Map()
  const gaps = []
  for (const { connection, earliestMs, latestMs, endMs } of model.requests) {
    const before = connection === 0 ? undefined : ends.get(connection)
    if (before !== undefined && latestMs - earliestMs < 1) gaps.push(Math.max(0, earliestMs - before))
    ends.set(connection, endMs)
  }
  const usualMs = gaps.length === 0 ? 0.5 : quantile(gaps, USUAL_GAP)
  ends.clear()
  const anywhere = spreadArrivals(model.requests)
  const timed = model.requests.map((request, index) => {
    const { connection, latestMs, endMs } = request
    const before = connection === 0 ? undefined : ends.get(connection)
    ends.set(connection, endMs)
    // Nobody sends on a connection before its last answer.
    const arrivalMs = before === undefined ? anywhere[index] : Math.min(latestMs, isClosed ? before + usualMs : Math.max(before, anywhere[index]))
    const gapMs = before === undefined ? usualMs : Math.max(0, arrivalMs - before)
    return { request, arrivalMs, gapMs, isNext: isOpen && before !== undefined && gapMs <= SOON_MS }
  })
  return { model, timed: timed.sort((left, right) => left.arrivalMs - right.arrivalMs) }
}

/**
 * Anywhere in a stretch of time in which the loop was busy, but in the order in which they were read.
 * @param {readonly ModelRequest[]} requests  by start
 * @returns {number[]}
 */
function spreadArrivals (requests) {
  /** @type {number[]} */
  const arrivals = []
  for (let from = 0; from < requests.length;) {
    let to = from + 1
    while (to < requests.length && requests[to].busySinceMs === requests[from].busySinceMs) to++
    const [{ busySinceMs }, { latestMs: untilMs }] = [requests[from], requests[to - 1]]
    const inOrder = Array.from({ length: to - from }, (_, index) => busySinceMs + (untilMs - busySinceMs) * (((from + index) * GOLDEN) % 1)).sort((left, right) => left - right)
    for (let index = from; index < to; index++) arrivals.push(Math.min(requests[index].latestMs, Math.max(requests[index].earliestMs, inOrder[index - from])))
    from = to
  }
  return arrivals
}

/** @param {{ timed: Timed[] }[]} stretches @param {readonly string[]} names */
function measuredIn (stretches, names) {
  const indexes = new Map(names.map((name, index) => [name, index]))
  const durations = names.map(() => /** @type {number[]} */ ([]))
  for (const { timed } of stretches) {
    for (const { request: { route, endMs }, arrivalMs } of timed) durations[/** @type {number} */ (indexes.get(route))].push(endMs - arrivalMs)
  }
  return durations
}

/**
 * @param {{ model: ModelStretch, timed: Timed[] }[]} stretches
 * @param {Pick<Replay, 'isClosed' | 'isInArrivalOrder'> & Variant & { names: readonly string[] }} how
 */
function replayed (stretches, { names, kept, servers, slowdown, wait, ...how }) {
  const indexes = new Map(names.map((name, index) => [name, index]))
  const durations = names.map(() => /** @type {number[]} */ ([]))
  let loopShare = 0
  for (const { model: { background }, timed } of stretches) {
    const jobs = timed.map(({ request, ...sent }) => jobOf(request, { route: /** @type {number} */ (indexes.get(request.route)), ...sent, kept, servers, slowdown, wait }))
    const left = background.map(({ atMs, ms, isCulprit }) => ({ atMs, ms: slowdown * (isCulprit ? (servers === null ? ms * kept : HAND_OVER_MS) : ms) }))
    const some = replayQueue({ jobs, background: left, routes: names.length, servers: servers ?? 1, ...how })
    for (const [index, list] of some.durations.entries()) for (const ms of list) durations[index].push(ms)
    loopShare = Math.max(loopShare, some.loopShare)
  }
  return { durations, loopShare }
}

/**
 * @param {ModelRequest} request
 * @param {Pick<Job, 'route' | 'arrivalMs' | 'gapMs' | 'isNext'> & Variant} how
 * @returns {Job}
 */
function jobOf (request, { kept, servers, slowdown, wait, ...sent }) {
  const { connection, firstMs, firstCulpritMs, secondMs, secondCulpritMs, endMs } = request
  const base = { ...sent, connection, waitMs: request[wait], endMs }
  if (servers === null) return { ...base, firstMs: slowdown * (firstMs + firstCulpritMs * kept), poolMs: 0, secondMs: slowdown * (secondMs + secondCulpritMs * kept) }
  const poolMs = culpritOf(request) * kept
  return { ...base, firstMs: slowdown * firstMs, poolMs: slowdown * poolMs, secondMs: slowdown * (secondMs + (poolMs > 0 ? HAND_OVER_MS : 0)) }
}

/**
 * @typedef {{ value: number, least: number, most: number }} Quantile  least, most: of the quantiles beside it
 * @typedef {{ p50: Quantile, p95: Quantile }} Quantiles
 */

/** @param {number[][]} durations @returns {Quantiles[]} */
function quantilesOf (durations) {
  return durations.map(list => ({ p50: withBeside(list, 0.5, BESIDE.p50), p95: withBeside(list, 0.95, BESIDE.p95) }))
}

/** @param {number[]} durations @param {number} share @param {number} beside @returns {Quantile} */
function withBeside (durations, share, beside) {
  const [least, value, most] = [share - beside, share, share + beside].map(one => quantile(durations, one))
  return { value, least, most }
}

/**
 * @param {string} route
 * @param {number} index
 * @param {{ measured: Quantiles[], base: Quantiles[] }[]} modes
 * @param {readonly ModelRequest[]} all
 * @returns {RoutePrediction}
 */
function predictRoute (route, index, modes, all) {
  const requests = all.reduce((count, request) => request.route === route ? count + 1 : count, 0)
  return { route, requests, reason: reasonOf(requests, index, modes), p50Ms: null, p95Ms: null }
}

/**
 * @param {number} requests
 * @param {number} index  of the route
 * @param {{ measured: Quantiles[], base: Quantiles[] }[]} modes
 */
function reasonOf (requests, index, modes) {
  if (requests < MIN_REQUESTS) return tooFew(requests)
  if (modes.some(({ base, measured }) => isReproduced(base[index], measured[index]))) return null
  const [{ base, measured }] = modes
  const [p50, p95] = /** @type {const} */ (['p50', 'p95']).map(name => `${name} ${round(base[index][name].value)} ms instead of ${round(measured[index][name].value)}`)
  return `the model does not give what was measured: ${p50}, ${p95}`
}

/** @param {Quantiles} base @param {Quantiles} measured */
function isReproduced (base, measured) {
  return isNear(base.p50, measured.p50) && isNear(base.p95, measured.p95)
}

/** Where few requests lie between two of very different durations, the quantiles beside count, too. @param {Quantile} replayed @param {Quantile} measured */
function isNear (replayed, measured) {
  const tolerance = Math.max(REPRODUCED_MS, measured.value * REPRODUCED_SHARE)
  return replayed.least <= Math.max(measured.most, measured.value + tolerance) && replayed.most >= Math.min(measured.least, measured.value - tolerance)
}

/**
 * @param {{ now: number, base: number, after: Quantile }[]} results  of each way to replay it
 * @param {object} certainty
 * @param {number} certainty.seen  requests that it depends on
 * @param {number} certainty.starvedShare
 * @param {number} certainty.floorMs  what a request of the route waits for something other than the loop: no change makes it faster
 * @param {boolean} certainty.isLess  work is removed and none is added: no route gets slower
 * @returns {PredictedQuantile}
 */
function rangeOf (results, { seen, starvedShare, floorMs, isLess }) {
  const margin = MARGIN + 1 / Math.sqrt(Math.max(1, seen))
  const marginMs = MARGIN_MS + STARVED_MARGIN_MS * starvedShare
  const corrections = results.map(({ now, base }) => base === 0 ? 1 : Math.min(MAX_CORRECTION, Math.max(1 / MAX_CORRECTION, now / base)))
  const values = results.flatMap(({ now, after: { value } }, index) => [value, value * corrections[index]].map(one => Math.max(floorMs, isLess ? Math.min(now, one) : one)))
  const beside = results.flatMap(({ after: { least, most } }, index) => [least, most].flatMap(value => [value, value * corrections[index]]))
  const [low, high] = [Math.min(...beside), Math.max(...beside)]
  return {
    now: round(sum(results, ({ now }) => now) / results.length),
    low: round(Math.max(Math.min(floorMs, low), Math.min(low * (1 - margin), low - marginMs), 0)),
    expected: round(sum(values) / values.length),
    high: round(Math.max(high * (1 + margin), high + marginMs))
  }
}

/**
 * How many times as many requests of the same mix the loop, and the pool, could answer at most.
 * @param {readonly ModelStretch[]} models
 * @param {Pick<Question, 'scale' | 'pool'>} change
 */
function speedUp (models, { scale, pool }) {
  let [ownMs, culpritMs, offLoopMs] = [0, 0, 0]
  for (const { requests, background } of models) {
    for (const request of requests) {
      ownMs += request.firstMs + request.secondMs
      culpritMs += culpritOf(request)
      if (pool !== null && culpritOf(request) > 0) offLoopMs += HAND_OVER_MS
    }
    ownMs += sum(background, ({ ms, isCulprit }) => isCulprit ? 0 : ms)
    culpritMs += culpritIn(background)
  }
  const afterMs = pool === null ? ownMs + culpritMs * scale : Math.max(ownMs + offLoopMs, culpritMs * scale / pool.threads)
  return afterMs <= 0 ? null : round((ownMs + culpritMs) / afterMs, 1)
}

/** @param {number} value @param {number} [digits] */
function round (value, digits = value < 20 ? 1 : 0) {
  return Number(value.toFixed(digits))
}

/** How long the requests of each route took, as far as that is recorded. @param {readonly Stretch[]} stretches */
function measuredRoutes (stretches) {
  const models = stretches.map(stretch => modelStretch(stretch, [], { isCulprit: () => false }))
  const names = routesOf(models.flatMap(({ requests }) => requests))
  const isClosed = clientsOf(models) === 'closed'
  return measuredIn(models.map(model => withArrivals(model, isClosed)), names).slice(0, MAX_ROUTES).map((durations, index) => {
    return { route: names[index], requests: durations.length, p50Ms: round(quantile(durations, 0.5)), p95Ms: round(quantile(durations, 0.95)) }
  })
}

module.exports = { predict, measuredRoutes }
