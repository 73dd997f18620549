'use strict'

// Live events as server-sent events, once a second: the state of the loop, marks, stalls as they end, and, while it lasts, that the loop is blocked.

const { setTimeout: sleep } = require('node:timers/promises')
const { guarded } = require('../../../base/guard')
const { createResponse } = require('../../../shared/admin/responses')
const { nullWhenBlocked } = require('../../../link/main-client')

/** @import { RouteRow, Sources } from '../router' */

const MAX_CLIENTS = 5 // each queries the main thread once a second
const PERIOD_MS = 1000
const BLOCKED_MS = 1000 // the time after which a loop is shown as blocked

const HEADERS = Object.freeze({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
const FULL = Object.freeze({
  status: 503,
  detail: `${MAX_CLIENTS} clients listen already.`,
  remedy: 'Close one of the pages, or read /loop.',
  headers: { 'Retry-After': '10' }
})

/** @returns {RouteRow[]} */
function createLiveRoutes () {
  let clients = 0
  return [{
    name: 'live',
    path: '/live',
    title: 'events of the loop as they happen',
    methods: {
      GET: {
        scope: 'metrics',
        cost: 'question',
        handle ({ request, sources, signal }) {
          if (request.method === 'HEAD') return createResponse(200, null, HEADERS)
          signal.throwIfAborted()
          if (clients >= MAX_CLIENTS) return FULL
          // Counted here and released by the signal: a client that disconnects before the first event never starts the generator.
          clients++
          signal.addEventListener('abort', guarded(() => { clients-- }), { once: true })
          return createResponse(200, { chunks: events(sources, signal) }, HEADERS)
        }
      }
    }
  }]
}

/** @param {Sources} sources @param {AbortSignal} signal */
async function * events (sources, signal) {
  let lastStall = sources.stalls().stalls[0]?.id ?? 0
  let knownMarks = sources.marks()
  while (!signal.aborted) {
    yield event('loop', await loopNow(sources))
    const marks = sources.marks()
    for (const mark of marks.filter(mark => !knownMarks.includes(mark))) yield event('mark', mark)
    knownMarks = marks
    const { stalls, current } = sources.stalls()
    const { blockedMs } = sources.loopNow()
    if (blockedMs >= BLOCKED_MS) {
      yield event('stuck', current ?? { at: Date.now() - blockedMs, durationMs: blockedMs, route: null, trace: null, culprit: null, stack: [] })
    }
    const fresh = stalls.filter(({ id }) => id > lastStall).reverse()
    for (const stall of fresh) yield event('stall', stall)
    lastStall = fresh.at(-1)?.id ?? lastStall
    await sleep(PERIOD_MS, undefined, { signal }).catch(() => {}) // the signal is checked at the top of the loop
  }
}

/** @param {Sources} sources */
async function loopNow (sources) {
  const memory = await sources.ask('memory').catch(nullWhenBlocked)
  return {
    at: Date.now(),
    maxDelayMs: 0,
    utilization: null,
    answered: null,
    ...sources.series().at(-1),
    ...sources.loopNow(),
    memory: memory?.value ?? null,
    requests: sources.requestTotals(),
    threads: sources.knownThreads(),
    recorder: sources.recorder(),
    answeredAt: memory?.at ?? null,
    isStale: memory?.isStale ?? true
  }
}

/** @param {string} name @param {unknown} data */
function event (name, data) {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

module.exports = { createLiveRoutes, MAX_CLIENTS }
