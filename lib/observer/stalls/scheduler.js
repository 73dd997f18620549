'use strict'

// What the operating system says about how it ran us: CPU time and run-queue time of a thread, and how long the cgroup's
// CPU quota held the process back. Linux tells all three; elsewhere there is the CPU time of the process.
// It reads; observer/stalls/judge-cause.js judges.

const fs = require('node:fs')
const { createThrottleReader } = require('./cgroup')

const NS_PER_MS = 1e6
const LINE = Buffer.alloc(256) // longest line read here: three 20-digit numbers

/**
 * @typedef {object} SchedulerReading  cumulative, in milliseconds; null where the system does not tell
 * @property {number | null} cpuMs
 * @property {number | null} runQueueMs
 * @property {number | null} throttledMs
 * @property {number | null} observerCpuMs  of the thread that reads
 * @property {number | null} observerRunQueueMs
 */

/**
 * @typedef {object} IoReading  of the observed thread, cumulative; TCP and pipes are in it, UDP is not
 * @property {number} reads  system calls
 * @property {number} readBytes
 * @property {number} writes
 * @property {number} writtenBytes
 */

/**
 * Call it in the observer thread: /proc/thread-self is the thread that opens it.
 * @param {{ threadPid?: number | null }} [options]  of the observed thread, by threadPidHere(). The main thread's is the process's
 */
function createScheduler ({ threadPid = process.pid } = {}) {
  return new Scheduler(threadPid)
}

class Scheduler {
  #observed
  #own
  #throttle
  #isMain
  #threadPid

  /** @param {number | null} threadPid */
  constructor (threadPid) {
    this.#isMain = threadPid === process.pid
    this.#threadPid = threadPid
    this.#observed = threadPid === null ? null : openQuietly(`/proc/self/task/${threadPid}/schedstat`)
    this.#own = openQuietly('/proc/thread-self/schedstat')
    this.#throttle = createThrottleReader()
  }

  /** @returns {SchedulerReading} */
  read () {
    return this.take()()
  }

  /**
   * What it says now, parsed when it is wanted: of nearly all readings it never is.
   * @returns {() => SchedulerReading}
   */
  take () {
    const observedText = readSchedstat(this.#observed)
    const ownText = readSchedstat(this.#own)
    const throttledMs = this.#throttle.read()
    // Most of what a process takes its main thread takes, and next to nothing of it a worker thread that is being watched.
    const processMs = observedText === null && this.#isMain ? processCpuMs() : null
    return () => {
      const observed = parseSchedstat(observedText)
      const own = parseSchedstat(ownText)
      return {
        cpuMs: observed?.cpuMs ?? processMs,
        runQueueMs: observed?.runQueueMs ?? null,
        throttledMs,
        observerCpuMs: own?.cpuMs ?? null,
        observerRunQueueMs: own?.runQueueMs ?? null
      }
    }
  }

  /** CPU time of the observed thread alone; null where the system does not tell it apart. */
  readCpuMs () {
    return parseSchedstat(readSchedstat(this.#observed))?.cpuMs ?? null
  }

  /** @returns {IoReading | null} where the system does not tell */
  readIo () {
    if (this.#threadPid === null) return null
    try {
      const text = fs.readFileSync(`/proc/self/task/${this.#threadPid}/io`, 'latin1')
      const [readBytes, writtenBytes, reads, writes] = ['rchar', 'wchar', 'syscr', 'syscw'].map(name => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]))
      return Number.isNaN(readBytes + writtenBytes + reads + writes) ? null : { reads, readBytes, writes, writtenBytes }
    } catch {
      return null // not Linux, a kernel without task accounting, or the permission model
    }
  }

  close () {
    for (const fd of [this.#observed, this.#own]) if (fd !== null) fs.closeSync(fd)
    this.#observed = this.#own = null
    this.#throttle.close()
  }
}

/** @param {string} path */
function openQuietly (path) {
  try {
    return fs.openSync(path, 'r')
  } catch {
    return null // not Linux, a kernel without schedstats, or the permission model
  }
}

/** @param {number | null} fd */
function readSchedstat (fd) {
  if (fd === null) return null
  try {
    return LINE.toString('latin1', 0, fs.readSync(fd, LINE, 0, LINE.length, 0))
  } catch {
    return null
  }
}

/**
 * "cpu-ns run-queue-ns slices", see the kernel's Documentation/scheduler/sched-stats.rst.
 * @param {string | null} text
 */
function parseSchedstat (text) {
  if (text === null) return null
  const [cpuNs, runQueueNs] = text.split(' ').map(Number)
  return { cpuMs: cpuNs / NS_PER_MS, runQueueMs: runQueueNs / NS_PER_MS }
}

function processCpuMs () {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

module.exports = { createScheduler }
