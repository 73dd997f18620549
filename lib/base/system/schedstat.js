'use strict'

// Reads what the scheduler of Linux reports of one thread: its CPU time, and the time it waited for a CPU.

const fs = require('node:fs')
const { attempt } = require('../guard')

const NS_PER_MS = 1e6

/** @typedef {{ cpuMs: number, runQueueMs: number }} ThreadTimes  cumulative */

/** @param {number | null} threadPid  of this process, from threadPidHere() */
function schedstatFile (threadPid) {
  return `/proc/self/task/${threadPid}/schedstat`
}

/**
 * "cpu-ns run-queue-ns slices", see the kernel's Documentation/scheduler/sched-stats.rst.
 * @param {string | null} text
 * @returns {ThreadTimes | null} null also where all three are zero: a kernel built without these statistics has the file, but never counts
 */
function parseSchedstat (text) {
  if (text === null) return null
  const [cpuNs, runQueueNs, slices] = text.split(' ').map(Number)
  return slices > 0 ? { cpuMs: cpuNs / NS_PER_MS, runQueueMs: runQueueNs / NS_PER_MS } : null
}

/** Whether another thread of the process can read these figures of a thread. @param {number | null} threadPid */
function hasSchedstat (threadPid) {
  // not Linux, no /proc, a sandbox, or the permission model
  return attempt(() => parseSchedstat(fs.readFileSync(schedstatFile(threadPid), 'latin1')) !== null, false)
}

module.exports = { hasSchedstat, parseSchedstat, schedstatFile }
