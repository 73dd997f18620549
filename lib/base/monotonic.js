'use strict'

// One time axis for all threads and for V8's samples: microseconds of the monotonic system clock.
// performance.now() counts from a different origin in each thread and process.hrtime.bigint() allocates on
// every call, so the two are tied together once per thread. In Bun and Deno process.hrtime() starts at 0 in each thread as well, and only
// performance.timeOrigin is common to all of them.

const { performance } = require('node:perf_hooks')
const { OTHER_RUNTIME } = require('./system/runtime')

const offsetMicros = OTHER_RUNTIME === null ? Number(process.hrtime.bigint()) / 1e3 - performance.now() * 1e3 : performance.timeOrigin * 1e3

/** @returns {number} microseconds; the clock of process.hrtime() and, on Linux, of V8's CPU profiles */
function monotonicMicros () {
  return performance.now() * 1e3 + offsetMicros
}

/** @returns {number} milliseconds; what waiting is counted by, since people and daemons set the time of day */
function monotonicMs () {
  return performance.now()
}

/**
 * @param {number} ms  a reading of performance.now() in this thread
 * @returns {number} the same moment as a reading of monotonicMicros()
 */
function fromPerformanceNow (ms) {
  return ms * 1e3 + offsetMicros
}

/**
 * @param {number} micros  a reading of monotonicMicros(), past or future
 * @returns {number} the same moment as milliseconds since the epoch, by the system clock as it stands now
 */
function toEpochMs (micros) {
  return Date.now() - (monotonicMicros() - micros) / 1e3
}

/**
 * @param {number} epochMs
 * @returns {number} the same moment as a reading of monotonicMicros(), by the system clock as it stands now
 */
function fromEpochMs (epochMs) {
  return monotonicMicros() - (Date.now() - epochMs) * 1e3
}

module.exports = { fromEpochMs, fromPerformanceNow, monotonicMicros, monotonicMs, toEpochMs }
