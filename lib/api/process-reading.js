'use strict'

// Readings of the process that only the main thread has, for findings and for PM2. Reading takes a few microseconds; nothing is measured for it.

const { performance } = require('node:perf_hooks')
const { createLoopCounts } = require('../probe/loop/loop-counts')

/** @import { ProcessReading } from '../shared/findings/readings' */
/** @import { DurationsReading } from './http/request-durations' */
/** @import { LoopReading } from './pm2/recent-figures' */
/** @import { Instruments } from '../probe/instruments' */

/**
 * The readings that the observer requests for an application.
 * @param {Instruments} instruments
 * @param {{ read (): DurationsReading }} requests
 */
function processReadings (instruments, requests) {
  return { processReading: () => readProcess(instruments, requests), loopCounts: createLoopCounts(instruments, requests) }
}

/**
 * @param {Instruments} instruments
 * @param {{ read (): DurationsReading }} requests
 * @returns {ProcessReading}
 */
function readProcess (instruments, requests) {
  const { durations, active } = requests.read()
  return {
    uptimeMs: Math.round(performance.now()),
    startUpMs: startUpMs(),
    delay: instruments.loop.summary(),
    delayCounts: instruments.loop.delay.read(),
    memory: instruments.heap.level(),
    poolSize: instruments.options.threadPoolSize,
    waitsFor: countWaits(),
    ownSeconds: Object.fromEntries(instruments.overhead().map(({ component, seconds }) => [component, seconds])),
    routes: sumByRoute(durations),
    inFlight: active.reduce((sum, { count }) => sum + count, 0)
  }
}

/**
 * @param {Instruments} instruments
 * @returns {Promise<LoopReading>}
 */
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
  /** @type {Map<string, ProcessReading['routes'][0]>} */
  const sums = new Map()
  for (const { method, route, reading } of durations) {
    const name = `${method} ${route}`
    const sum = sums.get(name) ?? { route: name, count: 0, seconds: 0 }
    sums.set(name, sum)
    sum.count += reading.count
    sum.seconds += reading.sum
  }
  return [...sums.values()]
}

module.exports = { processReadings, readLoop }
