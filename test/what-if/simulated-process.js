'use strict'

// A process in simulated time, for tests of predictions: an event loop that takes what is ready in batches, a thread pool, clients, and what
// loopscope would have recorded of it. It has nothing in common with the replay that it tests.

const TICK_MS = 20
const LATE_MS = 10
const SAMPLE_MS = 10

/** A seeded random number generator (mulberry32). */
function createRandom (seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * @param {object} scenario
 * @param {Record<string, (random: () => number) => ({ loop: number, culprit?: boolean } | { wait: number } | { pool: number })[]>} scenario.routes  the
 *   steps of a request
 * @param {{ route: string, everyMs?: number, connections?: number, thinkMs?: number | ((random: () => number) => number) }[]} scenario.clients  everyMs: they send at random times;
 *   connections: each sends when it has its answer
 * @param {number} [scenario.seconds]
 * @param {number} [scenario.threads]  of the pool
 * @param {number} [scenario.seed]
 * @param {boolean} [scenario.isInArrivalOrder]
 * @param {boolean} [scenario.hasTurns]  the middleware measures the first synchronous code
 */
function simulate ({ routes, clients, seconds = 30, threads = 4, seed = 1, hasTurns = true, isInArrivalOrder = false }) {
  const random = createRandom(seed)
  const endMs = seconds * 1e3
  const arrivals = [] // of clients that wait for answers
  const future = [] // of the others, in order
  let nextFuture = 0
  let connections = 0
  let next = 0
  const requests = []
  const busy = []
  const waiting = [] // { atMs, run }
  const pool = []
  let poolBusy = 0

  const send = (route, atMs, connection, onEnd = () => {}) => {
    if (atMs < endMs) (connection === 0 ? future : arrivals).push({ route, atMs, connection, onEnd, steps: routes[route](random) })
  }
  for (const { route, everyMs, connections: count, thinkMs = 0.3 } of clients) {
    if (everyMs !== undefined) {
      for (let atMs = 0; atMs < endMs; atMs += -Math.log(1 - random()) * everyMs) send(route, atMs, 0)
      continue
    }
    for (let index = 0; index < count; index++) {
      const connection = ++connections
      const again = atMs => send(route, atMs + (typeof thinkMs === 'function' ? thinkMs(random) : thinkMs), connection, again)
      send(route, random() * 5, connection, again)
    }
  }

  future.sort((left, right) => left.atMs - right.atMs)

  let nowMs = 0
  let dueMs = TICK_MS
  let lateFromMs = null
  let lateBatches = 0
  let readBefore = []
  const take = () => {
    const ready = []
    while (nextFuture < future.length && future[nextFuture].atMs <= nowMs) ready.push(future[nextFuture++])
    for (const list of [arrivals, waiting]) {
      for (let index = list.length - 1; index >= 0; index--) if (list[index].atMs <= nowMs) ready.push(...list.splice(index, 1))
    }
    ready.sort((left, right) => left.atMs - right.atMs)
    if (isInArrivalOrder) return ready
    // As epoll does it: sockets that were ready in the batch before stand first, in its order.
    const again = readBefore.flatMap(connection => ready.filter(one => one.connection === connection))
    const batch = [...again, ...ready.filter(one => !again.includes(one))]
    readBefore = batch.map(({ connection = 0 }) => connection).filter(connection => connection !== 0)
    return batch
  }
  const startPool = () => {
    while (poolBusy < threads && pool.length > 0) {
      const { ms, fromMs, then } = pool.shift()
      poolBusy++
      waiting.push({ atMs: Math.max(fromMs, nowMs) + ms, run: () => { poolBusy--; startPool(); then() } })
    }
  }
  const goOn = (request, isFirst) => {
    while (request.steps.length > 0) {
      const [step] = request.steps
      if (step.loop === undefined) {
        request.steps.shift()
        const then = () => goOn(request, false)
        if (step.wait !== undefined) waiting.push({ atMs: nowMs + step.wait, run: then })
        else {
          pool.push({ ms: step.pool, fromMs: nowMs, then })
          startPool()
        }
        return
      }
      request.steps.shift()
      busy.push({ fromMs: nowMs, toMs: nowMs + step.loop, route: request.route, spot: step.culprit ? 0 : -1 })
      nowMs += step.loop
      if (isFirst) request.turnMs += step.loop
    }
    request.endMs = nowMs
    requests.push(request)
    request.onEnd(nowMs)
  }
  while (next < 1e7) {
    next++
    if (nowMs >= dueMs) {
      if (nowMs - dueMs >= LATE_MS) [lateFromMs, lateBatches] = [dueMs, 2]
      dueMs = nowMs + TICK_MS
    }
    const ready = take()
    if (ready.length === 0) {
      lateFromMs = null
      const soonest = Math.min(future[nextFuture]?.atMs ?? Infinity, ...arrivals.map(({ atMs }) => atMs), ...waiting.map(({ atMs }) => atMs))
      if (soonest === Infinity) break
      while (dueMs < soonest) dueMs += TICK_MS
      nowMs = soonest
      continue
    }
    for (const one of ready) {
      if (one.run !== undefined) {
        one.run()
        continue
      }
      one.startMs = nowMs
      one.turnMs = 0
      const isLate = lateFromMs !== null || nowMs > dueMs + LATE_MS
      one.arrivedMs = isLate ? Math.min(nowMs, lateFromMs ?? dueMs) : nowMs
      goOn(one, true)
    }
    if (lateFromMs !== null && --lateBatches === 0) lateFromMs = null
  }

  const durations = {}
  for (const { route, atMs, endMs: end } of requests) (durations[route] ??= []).push(end - atMs)
  const lastEnd = new Map()
  const logged = requests.map(({ route, atMs, arrivedMs, startMs, endMs: end, turnMs, connection }) => {
    const earliest = connection === 0 ? arrivedMs : Math.min(startMs, Math.max(arrivedMs, lastEnd.get(connection) ?? -Infinity))
    lastEnd.set(connection, end)
    return { route, connection, arrivedMicros: earliest * 1e3, startMicros: startMs * 1e3, endMicros: end * 1e3, turnMicros: hasTurns ? turnMs * 1e3 : 0, atMs }
  })
  return {
    durations,
    stretch: { fromMicros: 0, toMicros: nowMs * 1e3, requests: logged },
    samples: sampled(busy),
    perSecond: requests.length / (nowMs / 1e3)
  }
}

/** What a sampler that looks every 10 ms sees. */
function sampled (busy) {
  const samples = []
  for (const { fromMs, toMs, route, spot } of busy) {
    for (let sample = Math.ceil(fromMs / SAMPLE_MS); sample * SAMPLE_MS < toMs; sample++) {
      samples.push({ atMicros: sample * SAMPLE_MS * 1e3, micros: SAMPLE_MS * 1e3, route, spot, kind: 'code' })
    }
  }
  return samples
}

function quantileOf (values, share) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length * share)]
}

module.exports = { createRandom, quantileOf, simulate }
