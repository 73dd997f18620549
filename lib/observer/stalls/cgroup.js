'use strict'

// How long CPU quotas have held this process back (cgroup v1 and v2), its own group's and those of the groups above it.

const fs = require('node:fs')
const path = require('node:path')
const { groupFolders } = require('../../shared/system/cgroup-folders')

// A process can be moved to another group (systemd, container runtimes do it after start): look again this often.
const RESOLVE_EVERY_READS = 500 // about a minute of the observer's readings
const BUFFER = Buffer.alloc(2048)

function createThrottleReader () {
  return new ThrottleReader()
}

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
    } catch {} // the other version, or the root group, which has no quota
  }
  return false
}

/** @param {number} fd */
function readWhole (fd) {
  return BUFFER.toString('latin1', 0, fs.readSync(fd, BUFFER, 0, BUFFER.length, 0))
}

/**
 * v2 counts microseconds, v1 nanoseconds.
 * @param {string} cpuStat
 */
function throttledMs (cpuStat) {
  const [, unit, value] = /^throttled_(usec|time) (\d+)$/m.exec(cpuStat) ?? []
  if (value === undefined) return 0
  return Number(value) / (unit === 'usec' ? 1e3 : 1e6)
}

module.exports = { createThrottleReader }
