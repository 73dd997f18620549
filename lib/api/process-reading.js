'use strict'

// Readings of the process that only the main thread has, for findings, rules and PM2. Reading takes a few microseconds; nothing is measured
// for it, except for a rule that needs the heap.

const { performance } = require('node:perf_hooks')
const { monotonicMicros } = require('../base/monotonic')
const { STATUS_CLIENT_CLOSED } = require('../shared/requests/request-batch')

/** @import { ProcessReading } from '../shared/findings/readings' */
/** @import { DurationsReading } from './http/request-durations' */
/** @import { LoopReading } from './pm2/recent-figures' */
/** @import { Instruments } from '../probe/instruments' */
/** @import { LoopCounts } from '../shared/rules/conditions' */

/**
 * The readings that the observer requests for an application.
 * @param {Instruments} instruments
 * @param {{ read (): DurationsReading }} requests
 */
function processReadings (instruments, requests) {
  return { processReading: () => readProcess(instruments, requests), loopCounts: createLoopCounts(instruments, requests) }
}

/** @param {Instruments} instruments @param {{ read (): DurationsReading }} requests @returns {ProcessReading} */
function readProcess (instruments, requests) {
  const { durations, active, endless } = requests.read()
  return {
    uptimeMs: Math.round(performance.now()),
    startUpMs: startUpMs(),
    delay: instruments.loop.summary(),
    delayCounts: instruments.loop.delay.read(),
    memory: instruments.heap.level(),
    poolSize: instruments.options.threadPoolSize,
    waitsFor: countWaits(),
    ownSeconds: Object.fromEntries(instruments.overhead().map(({ component, seconds }) => [component, seconds])),
    routes: sumByRoute(durations).filter(({ route }) => !endless.has(route)),
    inFlight: active.reduce((sum, { count }) => sum + count, 0)
  }
}

/** @param {Instruments} instruments @returns {Promise<LoopReading>} */
async function readLoop ({ loop, stalls }) {
  return {
    delay: loop.delay.read(),
    recentMaxMs: loop.delay.recentMaxMs,
    utilization: loop.utilization.read().utilization,
    stalls: await stalls.list()
  }
}

/** From Node's own figures. */
function startUpMs () {
  const { loopStart, bootstrapComplete } = performance.nodeTiming
  return Math.round(Math.max(0, (loopStart < 0 ? performance.now() : loopStart) - bootstrapComplete))
}

/** What keeps the loop alive, by kind. */
function countWaits () {
  /** @type {Record<string, number>} */
  const counts = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** @param {DurationsReading['durations']} durations */
function sumByRoute (durations) {
  /** @type {Map<string, Required<ProcessReading['routes'][0]>>} */
  const sums = new Map()
  for (const { method, route, status, reading } of durations) {
    const name = `${method} ${route}`
    const sum = sums.get(name) ?? { route: name, count: 0, seconds: 0, goneCount: 0, goneSeconds: 0 }
    sums.set(name, sum)
    sum.count += reading.count
    sum.seconds += reading.sum
    if (Number(status) !== STATUS_CLIENT_CLOSED) continue
    sum.goneCount += reading.count
    sum.goneSeconds += reading.sum
  }
  return [...sums.values()]
}

/**
 * For rules, read only while one needs it: the observer requests it every five seconds.
 * @param {Pick<Instruments, 'loop' | 'heap'>} instruments
 * @param {{ read (): DurationsReading }} requests
 */
function createLoopCounts ({ loop, heap }, requests) {
  /** From the first request of a rule that needs it, until the instruments stop. @type {ReturnType<typeof heap.watch> | undefined} */
  let watch

  /** @param {{ needsHeap: boolean }} question @returns {LoopCounts} */
  return ({ needsHeap }) => {
    if (needsHeap) watch ??= heap.watch()
    const { active, idle } = loop.time.read()
    const { bounds, counts, count } = loop.delay.read()
    const trend = watch?.trend()
    return {
      atMs: monotonicMicros() / 1e3,
      activeMs: active,
      idleMs: idle,
      delay: { bounds, counts, count },
      ...countResponses(requests.read().durations),
      heapAfterGcBytes: trend === undefined || trend.points === 0 ? null : trend.usedBytes
    }
  }
}

/** @param {DurationsReading['durations']} durations */
function countResponses (durations) {
  const sum = (/** @type {DurationsReading['durations']} */ some) => some.reduce((all, { reading }) => all + reading.count, 0)
  return { responses: sum(durations), errorResponses: sum(durations.filter(({ status }) => Number(status) >= 500)) }
}

module.exports = { processReadings, readLoop, createLoopCounts }
