'use strict'

// What the process says of itself before and after a load, and what of that belongs to the load alone.

const { setTimeout: sleep } = require('node:timers/promises')
const { showCause, showCulprit } = require('../output/display')
const { readAll } = require('../reach/client')
const { processorMs } = require('../reach/process-facts')
const { quantileOf } = require('../../shared/base/bucket-counts')
const { performance } = require('../../shared/base/timers')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Finding } from '../../../types/findings' */
/** @import { createClient } from '../reach/client' */

/** @typedef {ReturnType<typeof createClient>} Client */
/** @typedef {{ bounds: number[], counts: number[], count: number }} Delays  of the loop, in seconds */

const SERIES_MS = 1000 // of one entry of the delay's series
const MAX_CULPRITS = 20
const PATIENCE_MS = 10_000 // for a loop that still works off what it was asked
const POLL_MS = 100
const BUCKET = /^nodejs_eventloop_delay_seconds_bucket\{.*\ble="([^"]+)".*\} (\S+)$/gm

/**
 * @param {Client} client
 * @param {number} pid
 * @returns {Promise<{ delays: Delays | null, cpuMs: number | null }>}
 */
async function readCounters (client, pid) {
  return { delays: await readDelays(client), cpuMs: processorMs(pid) }
}

/**
 * The loop may still be at work on what it was asked last: until then it tells nothing, or what it told before.
 * @param {Client} client
 * @returns {Promise<Delays | null>} null: it did not say in time, or the registry of the application does not have them
 */
async function readDelays (client) {
  const endMs = performance.now() + PATIENCE_MS
  while (performance.now() < endMs) {
    const response = await client.ask('/metrics')
    const text = (await readAll(response)).toString()
    const isOfNow = response.headers['x-loopscope-stale-since'] === undefined && text.split('# TYPE').length > 2 // one is the observer's own
    if (isOfNow) return delaysIn(text)
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
 * @typedef {object} Observed  what the process says of one load
 * @property {{ p50: number, p99: number, max: number } | null} delayMs
 * @property {number | null} cpuMs  of all threads
 * @property {{ count: number, blockedMs: number, byCause: StallGroup[], byCulprit: StallGroup[] }} stalls
 * @property {Finding[]} findings
 * @property {CpuProfile | null} profile  null where nothing is recorded
 *
 * @typedef {{ name: string, count: number, ms: number }} StallGroup  worst first
 */

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
  const cpuMs = processorMs(pid) // first: what is asked for next costs the process something, too
  const delays = await readDelays(client)
  const profile = await client.json(`/cpu?from=${from}&to=${to}&sources=original`).catch(() => null)
  const { findings } = await client.json('/findings')
  const { series } = await client.json('/loop')
  const { stalls } = await client.json('/stalls') // last: a stall is explained a little after it was
  return {
    delayMs: delayOf(before.delays, delays, series.filter((/** @type {{ at: number }} */ { at }) => at > from && at <= to + SERIES_MS)),
    cpuMs: cpuMs === null || before.cpuMs === null ? null : cpuMs - before.cpuMs,
    stalls: sumStalls(stalls.filter((/** @type {Stall} */ { at }) => at >= from && at <= to)),
    findings,
    profile
  }
}

/**
 * @param {Delays | null} before
 * @param {Delays | null} after
 * @param {{ maxDelayMs: number }[]} series
 */
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
    blockedMs: stalls.reduce((sum, { durationMs }) => sum + durationMs, 0),
    byCause: group(stalls, showCause),
    byCulprit: group(stalls, showCulprit).slice(0, MAX_CULPRITS)
  }
}

/**
 * @param {Stall[]} stalls
 * @param {(stall: Stall) => string} nameOf
 * @returns {StallGroup[]}
 */
function group (stalls, nameOf) {
  /** @type {Map<string, StallGroup>} */
  const groups = new Map()
  for (const stall of stalls) {
    const name = nameOf(stall)
    const group = groups.get(name) ?? { name, count: 0, ms: 0 }
    group.count++
    group.ms += stall.durationMs
    groups.set(name, group)
  }
  return [...groups.values()].sort((a, b) => b.ms - a.ms)
}

module.exports = { delayOf, delaysIn, observe, readCounters, sumStalls }
