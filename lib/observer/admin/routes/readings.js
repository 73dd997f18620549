'use strict'

// What is known, for reading: the loop, stalls, synchronous calls, rules. While the main thread is stuck these tell what it
// said last, and what the observer knows by itself.

const { json, text } = require('../../../shared/admin/responses')
const { slowRequestsText } = require('../../../shared/slow-requests/slow-requests-text')
const { integer, oneOf } = require('../parameters')

/** @import { Context, RouteRow, Sources } from '../router' */

const MAX_STALLS = 200
const LOOK_BACK_MS = 30_000
const THREADS_LOOK_BACK_MS = 60_000

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'loop',
    path: '/loop',
    title: 'delay, utilisation and memory',
    methods: { GET: { scope: 'metrics', cost: 'question', handle: loop } }
  },
  {
    name: 'stalls',
    path: '/stalls',
    title: 'the last stalls, and totals by cause and route',
    methods: { GET: { scope: 'metrics', cost: 'nothing', parameters: { limit: integer(1, MAX_STALLS) }, handle: stalls } }
  },
  {
    name: 'slow-requests',
    path: '/slow-requests',
    title: 'the worst requests, and where their time went: ?format=text',
    methods: { GET: { scope: 'metrics', cost: 'question', parameters: { format: oneOf(['json', 'text']) }, handle: slowRequests } }
  },
  {
    name: 'sync-calls',
    path: '/sync-calls',
    title: 'synchronous calls by call site, and what to call instead',
    methods: { GET: { scope: 'metrics', cost: 'question', handle: syncCalls } }
  },
  {
    name: 'threads',
    path: '/threads',
    title: 'worker threads: how busy, in which function, their stalls',
    methods: { GET: { scope: 'metrics', cost: 'threads', handle: threads } }
  },
  {
    name: 'rules',
    path: '/rules',
    title: 'rules, how each stands, and what it did',
    methods: { GET: { scope: 'profile', cost: 'nothing', handle: ({ sources }) => json(200, sources.rules()) } }
  }
]

/** @param {Context} context */
async function loop ({ sources }) {
  const [reading, memory] = await Promise.all([knownOf(sources, 'processReading'), knownOf(sources, 'memory')])
  return json(200, {
    delay: reading?.value.delay ?? null,
    memory: memory?.value ?? null,
    ...sources.loopNow(),
    requests: requestsOf(reading),
    series: sources.series(),
    marks: sources.marks(),
    recorder: sources.recorder(),
    at: reading?.at ?? null,
    isStale: reading?.isStale ?? true
  })
}

/**
 * How many were answered since start, and are being answered.
 * @param {{ value: any } | null} reading  of the process
 */
function requestsOf (reading) {
  if (reading === null) return null
  const { routes, inFlight } = /** @type {import('../../../shared/findings/readings').ProcessReading} */ (reading.value)
  return { answered: routes.reduce((sum, { count }) => sum + count, 0), inFlight }
}

/** @param {Context} context */
function stalls ({ sources, parameters: { limit = MAX_STALLS } }) {
  const { stalls, current, totals } = sources.stalls()
  return json(200, { stalls: stalls.slice(0, limit), current, totals, ...sources.loopNow() })
}

/** @param {Context} context */
async function slowRequests ({ sources, parameters: { format = 'json' } }) {
  const known = await knownOf(sources, 'slowRequests')
  const requests = known?.value ?? []
  if (format === 'text') return text(200, slowRequestsText(requests, { isStale: known?.isStale ?? true }))
  return json(200, { isStale: known?.isStale ?? true, at: known?.at ?? null, requests })
}

/** @param {Context} context */
async function syncCalls ({ sources, signal }) {
  await sources.readSamples()
  const known = await knownOf(sources, 'syncCalls')
  if (known !== null) return json(200, { ...known.value, at: known.at, isStale: known.isStale })
  const now = Date.now()
  const { profile } = await sources.view({ fromMs: now - LOOK_BACK_MS, toMs: now }, signal)
  const sampled = sources.sampledCalls(await sources.toWritten(profile))
  return json(200, { sampled, totals: null, exact: null, startUp: null, pool: null, at: now, isStale: true })
}

/** @param {Context} context */
async function threads ({ sources }) {
  return json(200, { ...await sources.threads(), load: sources.threadLoad(THREADS_LOOK_BACK_MS) })
}

/**
 * @param {Sources} sources
 * @param {Parameters<Sources['ask']>[0]} name
 */
async function knownOf (sources, name) {
  try {
    return await sources.ask(name)
  } catch (/** @type {any} */ error) {
    if (error.code === 'ERR_LOOPSCOPE_LOOP_BLOCKED') return null
    throw error
  }
}

module.exports = { routes, knownOf, requestsOf }
