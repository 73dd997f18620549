'use strict'

// Measures all rounds of a benchmark, each in a new process: two processes of the same code differ by 10 to 20 % for their whole
// life, so a single one says little about the code. The counters of the process are read before and after the load, and the difference
// belongs to the load alone.

const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')
const { Failure } = require('../failure')
const { showCause, showCulprit } = require('../output/display')
const { createClient, readAll } = require('../connect/client')
const { processorMs } = require('../connect/process-facts')
const { findTarget } = require('../connect/connect')
const { Application, assertFindable, findServer } = require('./application')
const { load } = require('./autocannon')
const { quantileOf } = require('../../base/bucket-counts')
const { groupBy, sum } = require('../../base/sums')
const { performance } = require('../../base/timers')
const { buildCallTree } = require('../../formats/profile/call-tree')
const { summarizeTime } = require('../../formats/profile/time-kinds')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { Finding } from '../../../types/findings' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Invocation } from '../commands' */
/** @import { Settings } from '../commands/bench' */
/** @import { Autocannon, Loaded } from './autocannon' */
/** @import { Processors } from './processors' */
/** @import { Bench, Round } from './result-file' */

const SERIES_MS = 1000 // of one entry of the delay's series
const MAX_CULPRITS = 20
const READ_MS = 10_000 // for a loop that still works on earlier requests
const POLL_MS = 100
const BUCKET = /^nodejs_eventloop_delay_seconds_bucket\{.*\ble="([^"]+)".*\} (\S+)$/gm

/**
 * @typedef {object} Plan
 * @property {readonly string[]} command
 * @property {Settings} settings
 * @property {Autocannon} autocannon
 * @property {Processors} processors
 * @property {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 *
 * @typedef {{ round: Round, profile: CpuProfile | null, facts: any, url: string }} Measured
 */

/**
 * @typedef {object} Observed  what the process reports about one load
 * @property {{ p50: number, p99: number, max: number } | null} delayMs
 * @property {number | null} cpuMs  of all threads
 * @property {{ count: number, blockedMs: number, byCause: StallGroup[], byCulprit: StallGroup[] }} stalls
 * @property {Finding[]} findings
 * @property {import('./compare').MeasuredRoute[]} routes  as the process measured them
 * @property {CpuProfile | null} profile  null where there is no recording
 *
 * @typedef {{ name: string, count: number, ms: number }} StallGroup  worst first
 * @typedef {{ bounds: number[], counts: number[], count: number }} Delays  of the loop, in seconds
 * @typedef {ReturnType<typeof createClient>} Client
 */

/** @param {Plan} plan @returns {Promise<Omit<Bench, 'kind' | 'version' | 'loopscope'>>} */
async function measure (plan) {
  const { command, settings, autocannon, processors } = plan
  const at = Date.now()
  /** @type {Measured[]} */
  const measured = []
  while (measured.length < settings.rounds) measured.push(await measureRound(plan, measured.length + 1))
  const median = medianRound(measured.map(({ round }) => round))
  const [{ url, facts }] = measured
  const { profile, round: { from, answered } } = measured[median]
  return {
    at,
    command: [...command],
    request: { url, method: settings.method, headers: settings.headers.map(header => header.split(':')[0]) },
    load: { tool: `autocannon ${autocannon.version}`, connections: settings.connections, seconds: settings.seconds, warmUpSeconds: settings.warmUpSeconds },
    application: { name: facts.appName, root: facts.appRoot, nodeVersion: facts.nodeVersion },
    machine: { platform: `${os.type()} ${os.release()}`, cpus: os.availableParallelism(), model: os.cpus()[0]?.model ?? '', memoryBytes: os.totalmem() },
    processors,
    rounds: measured.map(({ round }) => round),
    profile: profile === null ? null : { round: median, startedAt: from, answered, profile }
  }
}

/**
 * @param {readonly Round[]} rounds
 * @returns {number} the round with the median rate: its profile is that of the benchmark
 */
function medianRound (rounds) {
  const order = [...rounds.keys()].sort((a, b) => rounds[a].perSecond - rounds[b].perSecond)
  return order[Math.floor((order.length - 1) / 2)]
}

/** @param {Plan} plan @param {number} number @returns {Promise<Measured>} */
async function measureRound ({ command, settings, autocannon, processors, surroundings }, number) {
  const { env, terminal, signal } = surroundings
  await assertFindable(settings)
  signal.throwIfAborted()
  const onLine = settings.isQuiet ? () => {} : terminal.note
  const application = new Application(command, { env, processors: processors.pinning?.application, onLine })
  /** @type {(seconds: number, activity: string, url: string) => Promise<Loaded>} */
  const loadFor = async (seconds, activity, url) => {
    const progress = terminal.progress(`round ${number} of ${settings.rounds}: ${activity}`, seconds)
    const how = { seconds, settings, autocannon, processors: processors.pinning?.load, env, signal: AbortSignal.any([signal, application.ended]) }
    return application.during(load(url, how)).finally(progress.end)
  }
  try {
    const { pid, url } = await findServer(application, { settings, env, signal })
    const client = createClient(findTarget(String(pid), {}, env), signal)
    const { facts } = await client.json('/')
    if (settings.warmUpSeconds > 0) assertAnswered(await loadFor(settings.warmUpSeconds, 'warming up', url), url, settings.warmUpSeconds)
    const before = await application.during(readCounters(client, pid))
    const from = Date.now()
    const loaded = await loadFor(settings.seconds, 'under load', url)
    const to = Date.now()
    assertAnswered(loaded, url, settings.seconds)
    const { profile, cpuMs, ...observed } = await application.during(observe(client, { pid, from, to, before }))
    const utilization = profile === null ? null : utilizationOf(profile)
    const cpuMsPerRequest = cpuMs === null ? null : cpuMs / loaded.answered
    return { round: { from, to, pid, ...loaded, ...observed, utilization, cpuMsPerRequest }, profile, facts, url }
  } finally {
    await application.stop()
  }
}

/** The share of the time in which the loop was busy. @param {CpuProfile} profile */
function utilizationOf (profile) {
  const root = buildCallTree(profile, {})
  return root.totalMicros === 0 ? null : summarizeTime(root).busy / root.totalMicros
}

/**
 * @param {Loaded} loaded
 * @param {string} url
 * @param {number} seconds  of load
 * @throws {Failure} where no request was answered
 */
function assertAnswered ({ answered, errors, timeouts }, url, seconds) {
  if (answered > 0) return
  const message = `No request to ${url} was answered`
  if (errors === 0 && timeouts === 0) throw new Failure('failed', `${message} within ${seconds} s.`, 'Pass a longer --warm-up and --seconds, or fewer --connections.')
  throw new Failure('failed', `${message}: ${timeouts > 0 ? `${timeouts} requests timed out after 10 s` : `${errors} connections failed`}.`, 'Is the address right?')
}

/** @param {Client} client @param {number} pid @returns {Promise<{ delays: Delays | null, cpuMs: number | null }>} */
async function readCounters (client, pid) {
  return { delays: await readDelays(client), cpuMs: processorMs(pid) }
}

/**
 * The loop may still be busy with the last requests: until it is done, metrics are missing or stale.
 * @param {Client} client
 * @returns {Promise<Delays | null>} null: no answer in time, or the application's registry does not have them
 */
async function readDelays (client) {
  const endMs = performance.now() + READ_MS
  while (performance.now() < endMs) {
    const response = await client.ask('/metrics')
    const text = (await readAll(response)).toString()
    const isFresh = response.headers['x-loopscope-stale-since'] === undefined && text.split('# TYPE').length > 2 // one comes from the observer itself
    if (isFresh) return delaysIn(text)
    await sleep(POLL_MS)
  }
  return null
}

/** @param {string} exposition */
function delaysIn (exposition) {
  const buckets = [...exposition.matchAll(BUCKET)].map(([, bound, count]) => ({ bound: Number(bound), count: Number(count) }))
  const finite = buckets.filter(({ bound }) => Number.isFinite(bound))
  if (finite.length === 0 || finite.length === buckets.length) return null
  const all = /** @type {{ count: number }} */ (buckets.find(({ bound }) => !Number.isFinite(bound)))
  return { bounds: finite.map(({ bound }) => bound), counts: finite.map(({ count }) => count), count: all.count }
}

/**
 * @param {Client} client
 * @param {object} load
 * @param {number} load.pid
 * @param {number} load.from  milliseconds since the epoch
 * @param {number} load.to
 * @param {Awaited<ReturnType<typeof readCounters>>} load.before
 * @returns {Promise<Observed>}
 */
async function observe (client, { pid, from, to, before }) {
  const cpuMs = processorMs(pid) // first: the following requests use CPU time, too
  const delays = await readDelays(client)
  const profile = await client.json(`/cpu?from=${from}&to=${to}&sources=original`).catch(() => null)
  const { findings } = await client.json('/findings')
  // Any route: what was measured does not depend on it.
  const { measured: routes } = await client.json('/what-if?route=GET+/').catch(() => ({ measured: [] }))
  const { series } = await client.json('/loop')
  const { stalls } = await client.json('/stalls') // last: a stall is explained a moment after it ends
  return {
    delayMs: delayOf(before.delays, delays, series.filter((/** @type {{ at: number }} */ { at }) => at > from && at <= to + SERIES_MS)),
    cpuMs: cpuMs === null || before.cpuMs === null ? null : cpuMs - before.cpuMs,
    stalls: sumStalls(stalls.filter((/** @type {Stall} */ { at }) => at >= from && at <= to)),
    findings,
    routes,
    profile
  }
}

/** @param {Delays | null} before @param {Delays | null} after @param {{ maxDelayMs: number }[]} series */
function delayOf (before, after, series) {
  if (before === null || after === null || series.length === 0) return null
  const max = Math.max(...series.map(({ maxDelayMs }) => maxDelayMs))
  const counts = after.counts.map((count, at) => count - before.counts[at])
  const during = { bounds: after.bounds, counts, count: after.count - before.count }
  const quantileMs = (/** @type {number} */ share) => Math.min(quantileOf(during, share) * 1e3, max)
  return { p50: quantileMs(0.5), p99: quantileMs(0.99), max }
}

/** @param {Stall[]} stalls */
function sumStalls (stalls) {
  return {
    count: stalls.length,
    blockedMs: sum(stalls, ({ durationMs }) => durationMs),
    byCause: group(stalls, showCause),
    byCulprit: group(stalls, showCulprit).slice(0, MAX_CULPRITS)
  }
}

/** @param {Stall[]} stalls @param {(stall: Stall) => string} nameOf @returns {StallGroup[]} */
function group (stalls, nameOf) {
  const groups = [...groupBy(stalls, nameOf)].map(([name, same]) => ({ name, count: same.length, ms: sum(same, ({ durationMs }) => durationMs) }))
  return groups.sort((a, b) => b.ms - a.ms)
}

module.exports = { measure }
