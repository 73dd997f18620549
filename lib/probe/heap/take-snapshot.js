'use strict'

// Takes a heap snapshot on the main thread: writes the file and measures the cost. The observer decides whether it may, and what happens to
// the file.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { errors } = require('../../base/errors')
const { guarded } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { assertOneOf } = require('../../base/validate')
const { readMemory } = require('./memory-reading')
const { SNAPSHOT_ENGINES } = require('./snapshot-engines')

/** @import { SnapshotEngineName } from './snapshot-engines' */

/**
 * @typedef {object} TakeOrder
 * @property {string} file  exists, private and empty, as long as the caller waits for it
 * @property {string | null} [inode]  of a file without a name, which the path leads to meanwhile; null: the file has a name
 * @property {SnapshotEngineName} engine
 * @property {number} notAfterMicros  on the monotonic clock: the caller has given up by then
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
 * @property {number | null} peakRssBytes  where it was the highest ever; otherwise only an outside monitor could measure it
 */

/**
 * @param {TakeOrder} order
 * @returns {TakeFacts}
 * @throws ERR_LOOPSCOPE_LOOP_BLOCKED, ERR_LOOPSCOPE_CAPTURE_CANCELLED, ERR_LOOPSCOPE_ENGINE_MISSING
 */
function takeSnapshot ({ file, inode = null, engine, notAfterMicros, expectedPauseMs }) {
  assertOneOf('engine', engine, Object.keys(SNAPSHOT_ENGINES))
  const takenAt = Date.now()
  const lateMs = (monotonicMicros() - notAfterMicros) / 1e3
  if (lateMs > 0) throw new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(Math.ceil(lateMs))
  const write = SNAPSHOT_ENGINES[engine]()
  const place = inode === null ? holdNamed(file) : holdUnnamed(file, inode)
  if (place === null) throw new errors.ERR_LOOPSCOPE_CAPTURE_CANCELLED('heap-snapshot', 'nobody waits for it any more')
  try {
    return measure(() => write(place.path), { takenAt, expectedPauseMs })
  } finally {
    place.release()
  }
}

/**
 * @param {() => void} write
 * @param {{ takenAt: number, expectedPauseMs: number }} facts
 * @returns {TakeFacts}
 */
function measure (write, { takenAt, expectedPauseMs }) {
  const before = readMemory()
  const highestBefore = highestRssBytes()
  announce(expectedPauseMs, before.rssBytes)
  const from = performance.now()
  write()
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

/** @type {() => void} */
let removeAtExit = () => {}

/** A process that ends by exit() or by an uncaught error removes it. @param {string} file */
function holdNamed (file) {
  if (!fs.existsSync(file)) return null
  process.off('exit', removeAtExit) // for the previous one, which is done
  removeAtExit = guarded(() => fs.rmSync(file, { force: true }))
  process.once('exit', removeAtExit)
  return { path: file, release () {} }
}

/**
 * With a descriptor of its own: the one in the path may be closed at any time, and its number reused by a file of the application.
 * @param {string} file
 * @param {string} inode
 */
function holdUnnamed (file, inode) {
  try {
    if (!isUnnamed(fs.statSync(file, { bigint: true }), inode)) return null
    const fd = fs.openSync(file, 'r+')
    const release = () => fs.closeSync(fd)
    if (isUnnamed(fs.fstatSync(fd, { bigint: true }), inode)) return { path: `/proc/self/fd/${fd}`, release }
    release()
  } catch {} // it was closed
  return null
}

/** @param {import('node:fs').BigIntStats} stats @param {string} inode */
function isUnnamed ({ dev, ino, nlink }, inode) {
  return nlink === 0n && `${dev}:${ino}` === inode
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
 * Writes directly to standard error: lines that a logger still buffers are lost if the kernel kills the process now.
 * @param {number} expectedPauseMs
 * @param {number | null} rssBytes
 */
function announce (expectedPauseMs, rssBytes) {
  const seconds = Math.max(1, Math.round(expectedPauseMs / 1e3))
  const msg = `a heap snapshot starts: the process stands still for up to ${seconds} s`
  const line = JSON.stringify({ level: 30, time: Date.now(), pid: process.pid, name: 'loopscope', rssBytes, msg })
  try {
    fs.writeSync(2, `${line}\n`)
  } catch {} // closed, or a full pipe: the snapshot is taken anyway
}

module.exports = { takeSnapshot }
