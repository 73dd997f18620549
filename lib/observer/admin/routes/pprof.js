'use strict'

// The routes that `go tool pprof`, Alloy, Parca and Pyroscope use, with the paths, parameters and headers of Go's net/http/pprof.

const { createResponse, text } = require('../../../shared/admin/responses')
const { MAX_SECONDS } = require('../../../shared/captures/kinds')
const { encodeBlockProfile, encodeEmptyProfile, encodeHeapPprof, encodePprof } = require('../../../formats/pprof')
const { SOURCES } = require('../../../formats/formats')
const { anything, flag, integer, oneOf } = require('../parameters')
const { notesOf } = require('../views')
const { setTimeout: sleep } = require('node:timers/promises')

/** @import { ExactSyncCall } from '../../../../types/diagnostics' */
/** @import { Context, RouteRow } from '../router' */

const DEFAULT_SECONDS = 30 // Go's default
const BASE = '/debug/pprof'

const ENTRIES = Object.freeze([
  ['profile', 'CPU time by stack; ?seconds=30, ?sources=original for the code as it was written'],
  ['heap', 'sampled live memory by stack; ?seconds=N for what is new since'],
  ['allocs', 'sampled allocations by stack; ?seconds=N for a stretch of time'],
  ['block', 'stalls of the event loop and synchronous calls; ?seconds=N for a stretch of time'],
  ['goroutine', 'empty: Node.js has none'],
  ['mutex', 'empty: one thread runs the code, so nothing contends']
])

// Requested by Alloy and Parca by default: without a response they would log an error every 10 or 15 seconds.
const EMPTY = Object.freeze({
  goroutine: [{ type: 'goroutine', unit: 'count' }],
  mutex: [{ type: 'contentions', unit: 'count' }, { type: 'delay', unit: 'nanoseconds' }]
})

// Go's names, as modes of V8's sampler and as kinds for readers of the profile.
const MEMORY = Object.freeze({
  heap: { mode: /** @type {const} */ ('live'), kind: /** @type {const} */ ('inuse') },
  allocs: { mode: /** @type {const} */ ('all'), kind: /** @type {const} */ ('alloc') }
})

const delta = integer(1, MAX_SECONDS)
const places = oneOf(SOURCES)

/** @type {RouteRow[]} */
const routes = [
  { ...row('pprof', '/', 'nothing', {}, index), title: 'for go tool pprof' },
  row('pprof-profile', '/profile', 'window', { seconds: anything, sources: places }, profile),
  row('pprof-heap', '/heap', 'reading', { seconds: delta, gc: flag(), debug: anything, sources: places }, context => memory(context, 'heap')),
  row('pprof-allocs', '/allocs', 'reading', { seconds: delta, debug: anything, sources: places }, context => memory(context, 'allocs')),
  row('pprof-block', '/block', 'question', { seconds: delta, debug: anything }, block),
  row('pprof-goroutine', '/goroutine', 'nothing', { seconds: delta, debug: anything }, () => empty('goroutine')),
  row('pprof-mutex', '/mutex', 'nothing', { seconds: delta, debug: anything }, () => empty('mutex'))
]

/**
 * @param {string} name
 * @param {string} path
 * @param {import('../routes').Cost} cost
 * @param {import('../parameters').ParameterChecks} parameters
 * @param {import('../router').MethodRow['handle']} handle
 * @returns {RouteRow}
 */
function row (name, path, cost, parameters, handle) {
  return { name, path: BASE + path, isPprof: true, methods: { GET: { scope: 'profile', cost, parameters, handle } } }
}

function index () {
  const lines = ENTRIES.map(([name, meaning]) => `${name.padEnd(8)} ${meaning}`)
  return text(200, [`${BASE}/`, '', ...lines, ''].join('\n'))
}

/** @param {Context} context */
async function profile ({ parameters, sources, signal }) {
  // As in Go: anything but a positive number means the default.
  const asked = Number(parameters.seconds ?? DEFAULT_SECONDS)
  const seconds = asked > 0 ? asked : DEFAULT_SECONDS
  if (seconds > MAX_SECONDS) return { status: 400, detail: `seconds is ${asked}, and at most ${MAX_SECONDS}.`, remedy: 'Ask for less.' }
  const now = Date.now()
  const view = await sources.view({ fromMs: now, toMs: now + seconds * 1e3 }, signal)
  const { appName, pid } = sources.facts
  const context = { ...sources.context(`CPU profile of ${appName} (pid ${pid})`, notesOf(view, seconds * 1e3)), startedAt: view.fromMs }
  const shown = parameters.sources === 'original' ? await sources.toOriginal(view.profile) : view.profile
  return file('profile', encodePprof(shown, context))
}

/** @param {Context} context @param {'heap' | 'allocs'} name */
async function memory ({ parameters: { seconds = null, gc = false, sources: places }, sources, signal }, name) {
  const { mode, kind } = MEMORY[name]
  const sampling = await sources.sampleHeap({ mode, seconds, collect: gc }, signal)
  const shown = places === 'original' ? await sources.toOriginalHeap(sampling) : sampling
  const { appName, pid } = sources.facts
  return file(name, encodeHeapPprof({ ...shown, kind }, sources.context(`sampled allocations of ${appName} (pid ${pid})`)))
}

/** @param {Context} context */
async function block ({ parameters: { seconds }, sources, signal }) {
  const before = seconds === undefined ? [] : await exactCalls(sources)
  const fromMs = seconds === undefined ? sources.facts.startedAt : Date.now()
  if (seconds !== undefined) await sleep(seconds * 1e3, undefined, { signal })
  const { stalls } = sources.stalls()
  const bytes = encodeBlockProfile({
    stalls: stalls.filter(({ at }) => at >= fromMs),
    syncCalls: since(await exactCalls(sources), before),
    fromMs,
    toMs: Date.now()
  })
  return file('block', bytes)
}

/** @param {keyof typeof EMPTY} name */
function empty (name) {
  return file(name, encodeEmptyProfile(EMPTY[name], Date.now()))
}

/** @param {Context['sources']} sources @returns {Promise<ExactSyncCall[]>} */
async function exactCalls (sources) {
  const { value } = await sources.exactCalls()
  return value.exact ?? []
}

/** @param {ExactSyncCall[]} calls @param {ExactSyncCall[]} before  earlier ones, of the same sites */
function since (calls, before) {
  /** @param {ExactSyncCall} call */
  const keyOf = ({ api, callSite: { file, line, column } }) => `${api} ${file}:${line}:${column}`
  const earlier = new Map(before.map(call => [keyOf(call), call]))
  return calls.map(call => {
    const { calls: count = 0, totalMs = 0, routes = [] } = earlier.get(keyOf(call)) ?? {}
    const ofRoute = new Map(routes.map(one => [one.route, one]))
    return {
      ...call,
      calls: call.calls - count,
      totalMs: call.totalMs - totalMs,
      routes: call.routes.map(({ route, calls, ms }) => {
        const { calls: callsBefore = 0, ms: msBefore = 0 } = ofRoute.get(route) ?? {}
        return { route, calls: calls - callsBefore, ms: ms - msBefore }
      })
    }
  }).filter(({ calls }) => calls > 0)
}

/**
 * Compressed by the format itself, not by the transport: no Content-Encoding.
 * @param {string} name
 * @param {Buffer} bytes
 */
function file (name, bytes) {
  return createResponse(200, bytes, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `attachment; filename="${name}"` })
}

module.exports = { routes }
