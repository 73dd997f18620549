'use strict'

// The part of a heap snapshot that runs on the main thread: it writes the file and measures what that took. Whether it may,
// and what becomes of the file, is decided in the observer.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { errors } = require('../internal/errors')
const { monotonicMicros } = require('../internal/monotonic')
const { assertOneOf } = require('../internal/validate')
const { readMemory } = require('./memory-reading')
const { SNAPSHOT_ENGINES } = require('./snapshot-engines')

/** @import { SnapshotEngineName } from './snapshot-engines' */

/**
 * @typedef {object} TakeOrder
 * @property {string} file  exists, private and empty, as long as somebody waits for it
 * @property {SnapshotEngineName} engine
 * @property {number} notAfterMicros  of the monotonic clock: whoever asked has given up by then
 * @property {number} expectedPauseMs
 *
 * @typedef {object} TakeFacts
 * @property {number} pid
 * @property {number} startedAt  milliseconds since the epoch, of the process
 * @property {string} nodeVersion
 * @property {string} v8Version
 * @property {string[]} execArgv
 * @property {number} takenAt
 * @property {number} pauseMs
 * @property {ReturnType<typeof readMemory>} before
 * @property {ReturnType<typeof readMemory>} after
 * @property {number | null} peakRssBytes  where it was the highest ever; else only who watches from outside can know it
 */

/**
 * @param {TakeOrder} order
 * @returns {TakeFacts}
 * @throws ERR_LOOPSCOPE_LOOP_BLOCKED, ERR_LOOPSCOPE_CAPTURE_CANCELLED, ERR_LOOPSCOPE_ENGINE_MISSING
 */
function takeSnapshot ({ file, engine, notAfterMicros, expectedPauseMs }) {
  assertOneOf('engine', engine, Object.keys(SNAPSHOT_ENGINES))
  const takenAt = Date.now()
  const lateMs = (monotonicMicros() - notAfterMicros) / 1e3
  if (lateMs > 0) throw new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(Math.ceil(lateMs))
  if (!fs.existsSync(file)) throw new errors.ERR_LOOPSCOPE_CAPTURE_CANCELLED('heap-snapshot', 'nobody waits for it any more')
  const write = SNAPSHOT_ENGINES[engine]()
  const before = readMemory()
  const highestBefore = highestRssBytes()
  announce(file, expectedPauseMs, before.rssBytes)
  const from = performance.now()
  write(file)
  const pauseMs = Math.round(performance.now() - from)
  const highest = highestRssBytes()
  return {
    ...describeProcess(),
    takenAt,
    pauseMs,
    before,
    after: readMemory(),
    peakRssBytes: highest > highestBefore ? highest : null
  }
}

function describeProcess () {
  return {
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    nodeVersion: process.version,
    v8Version: process.versions.v8,
    execArgv: process.execArgv
  }
}

function highestRssBytes () {
  return process.resourceUsage().maxRSS * 1024
}

/**
 * Straight to standard error: what a logger still buffers is lost when the kernel kills the process now.
 * @param {string} file
 * @param {number} expectedPauseMs
 * @param {number} rssBytes
 */
function announce (file, expectedPauseMs, rssBytes) {
  const seconds = Math.max(1, Math.round(expectedPauseMs / 1e3))
  const msg = `a heap snapshot starts: the process stands still for up to ${seconds} s`
  const line = JSON.stringify({ level: 30, time: Date.now(), pid: process.pid, name: 'loopscope', file, rssBytes, msg })
  try {
    fs.writeSync(2, `${line}\n`)
  } catch {} // closed, or a full pipe: no reason not to take it
}

module.exports = { takeSnapshot }
