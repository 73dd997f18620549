'use strict'

// Reads how the operating system ran this process: CPU time and run-queue time of a thread, and how long CPU quotas have throttled the
// process (cgroup v1 and v2, its own group and the groups above it). Linux reports all three; other systems only the CPU time of the
// process, and Node.js that of the thread that asks. It only reads; judge-cause.js decides.

const fs = require('node:fs')
const path = require('node:path')
const { groupFolders } = require('../../base/system/cgroup-folders')
const { parseSchedstat, schedstatFile } = require('../../base/system/schedstat')

const LINE = Buffer.alloc(256) // longest line of schedstat: three 20-digit numbers
const CPU_STAT = Buffer.alloc(2048)
// A process can be moved to another group (systemd and container runtimes do it after start): the group is resolved again this often.
const RESOLVE_EVERY_READS = 500 // about a minute of the observer's readings

/**
 * @typedef {object} SchedulerReading  cumulative, in milliseconds; null where the system does not report it
 * @property {number | null} cpuMs  of the observed thread; where only runQueueMs is null, of the whole process
 * @property {number | null} runQueueMs
 * @property {number | null} throttledMs
 * @property {number | null} observerCpuMs  of the thread that takes the reading
 * @property {number | null} observerRunQueueMs
 */

/**
 * @typedef {object} IoReading  of the observed thread, cumulative; TCP and pipes are in it, UDP is not
 * @property {number} reads  system calls
 * @property {number} readBytes
 * @property {number} writes
 * @property {number} writtenBytes
 */

/** Must be created in the observer thread: /proc/thread-self is the thread that opens it. */
class Scheduler {
  #observed
  #own
  #throttle
  #isMain
  #threadPid

  /** @param {{ threadPid?: number | null }} [options]  of the observed thread, from threadPidHere(); the main thread has the pid of the process */
  constructor ({ threadPid = process.pid } = {}) {
    this.#isMain = threadPid === process.pid
    this.#threadPid = threadPid
    this.#observed = threadPid === null ? null : openSchedstat(schedstatFile(threadPid))
    this.#own = openSchedstat('/proc/thread-self/schedstat')
    this.#throttle = new ThrottleReader()
  }

  /** @returns {SchedulerReading} */
  read () {
    return this.take()()
  }

  /** The figures of now, parsed on demand: nearly all readings are never used. @returns {() => SchedulerReading} */
  take () {
    const observedText = readSchedstat(this.#observed)
    const ownText = readSchedstat(this.#own)
    const throttledMs = this.#throttle.read()
    // The main thread uses most of the CPU time of a process; a watched worker thread next to nothing of it.
    const processMs = observedText === null && this.#isMain ? processCpuMs() : null
    const ownMs = ownText === null ? threadCpuMs() : null
    return () => {
      const observed = parseSchedstat(observedText)
      const own = parseSchedstat(ownText)
      return {
        cpuMs: observed?.cpuMs ?? processMs,
        runQueueMs: observed?.runQueueMs ?? null,
        throttledMs,
        observerCpuMs: own?.cpuMs ?? ownMs,
        observerRunQueueMs: own?.runQueueMs ?? null
      }
    }
  }

  /** CPU time of the observed thread alone; null where the system does not report it per thread. */
  readCpuMs () {
    return parseSchedstat(readSchedstat(this.#observed))?.cpuMs ?? null
  }

  /** @returns {IoReading | null} where the system does not report it */
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

/** @param {string} file */
function openSchedstat (file) {
  let fd
  try {
    fd = fs.openSync(file, 'r')
  } catch {
    return null // not Linux, a kernel without schedstats, or the permission model
  }
  if (parseSchedstat(readSchedstat(fd)) !== null) return fd
  fs.closeSync(fd)
  return null
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

function processCpuMs () {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** CPU time of the current thread; null where Node.js does not report it (20). */
function threadCpuMs () {
  const usage = process.threadCpuUsage?.()
  return usage === undefined ? null : (usage.user + usage.system) / 1e3
}

/** Reads how long CPU quotas have throttled the process. */
class ThrottleReader {
  /** @type {number[]} */
  #fds = []
  #readsLeft = 0

  /** @returns {number | null} milliseconds, cumulative; null where no quota applies or this is not Linux */
  read () {
    if (this.#readsLeft-- <= 0) this.#resolve()
    if (this.#fds.length === 0) return null
    try {
      return this.#fds.reduce((sum, fd) => sum + throttledMs(readWhole(fd)), 0)
    } catch {
      this.#readsLeft = 0 // the group was removed
      return null
    }
  }

  close () {
    for (const fd of this.#fds) fs.closeSync(fd)
    this.#fds = []
  }

  #resolve () {
    this.close()
    this.#readsLeft = RESOLVE_EVERY_READS
    try {
      const folders = groupFolders('cpu', fs.readFileSync('/proc/self/cgroup', 'latin1'), fs.readFileSync('/proc/self/mountinfo', 'latin1'))
      this.#fds = folders.filter(hasQuota).map(folder => fs.openSync(path.join(folder, 'cpu.stat'), 'r'))
    } catch {} // not Linux, or no cgroups: the reading stays null
  }
}

/** @param {string} folder */
function hasQuota (folder) {
  for (const [file, unlimited] of [['cpu.max', 'max'], ['cpu.cfs_quota_us', '-1']]) {
    try {
      return !fs.readFileSync(path.join(folder, file), 'latin1').startsWith(unlimited)
    } catch {} // the other cgroup version, or the root group, which has no quota
  }
  return false
}

/** @param {number} fd */
function readWhole (fd) {
  return CPU_STAT.toString('latin1', 0, fs.readSync(fd, CPU_STAT, 0, CPU_STAT.length, 0))
}

/** v2 counts microseconds, v1 nanoseconds. @param {string} cpuStat */
function throttledMs (cpuStat) {
  const [, unit, value] = /^throttled_(usec|time) (\d+)$/m.exec(cpuStat) ?? []
  if (value === undefined) return 0
  return Number(value) / (unit === 'usec' ? 1e3 : 1e6)
}

module.exports = { Scheduler, ThrottleReader, processCpuMs }
