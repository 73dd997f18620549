'use strict'

// How much more memory this process can use before the kernel kills a process, and which limit decides: every control group from its own upwards,
// then the machine; how full the group with the tightest limit is, also read many times a second; and how long processes waited for memory. V8's heap
// limit does not count: a snapshot is created outside the heap.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { groupFolders } = require('./cgroup-folders')
const { residentBytes } = require('./resident-memory')

/** @import { ContainerMemory, MemoryPressure } from '../../../types/memory' */

/**
 * @typedef {object} MemoryRoom
 * @property {number} limitBytes
 * @property {number} freeBytes
 * @property {string} basis  which limit it is, for people
 * @property {boolean} [isContainer]  not of the whole machine
 *
 * @typedef {object} Group  a control group with a limit
 * @property {number} limitBytes
 * @property {number} freeBytes
 * @property {string} folder
 * @property {string} limit  the file of its limit
 * @property {typeof VERSIONS[number]} version
 */

const USE_BYTES = 16 * 1024 // memory.stat has 2 kB
const NOTABLE_USE = 0.6 // below it the exact use is not worth reading memory.stat, which makes the kernel sum up its counters

/** Limits, the first that is set counts, use, and the line of memory.stat with the part of the use that the kernel can reclaim. */
const VERSIONS = Object.freeze([
  {
    limits: ['memory.max', 'memory.high'],
    used: 'memory.current',
    reclaimable: /^inactive_file (\d+)$/m,
    own: /^anon (\d+)$/m,
    events: readEvents,
    swap: (/** @type {string} */ folder) => ({ usedBytes: Number(read(folder, 'memory.swap.current')), limitBytes: Number(read(folder, 'memory.swap.max').replace('max', 'Infinity')) })
  },
  {
    limits: ['memory.limit_in_bytes'],
    used: 'memory.usage_in_bytes',
    reclaimable: /^total_inactive_file (\d+)$/m,
    own: /^total_rss (\d+)$/m,
    events: (/** @type {string} */ folder) => ({ reclaimed: Number(read(folder, 'memory.failcnt')), killed: count(read(folder, 'memory.oom_control'), 'oom_kill') }),
    // Memory and swap together.
    swap: (/** @type {string} */ folder) => ({
      usedBytes: Number(read(folder, 'memory.memsw.usage_in_bytes')) - Number(read(folder, 'memory.usage_in_bytes')),
      limitBytes: Number(read(folder, 'memory.memsw.limit_in_bytes')) - Number(read(folder, 'memory.limit_in_bytes'))
    })
  }
])

/** @returns {MemoryRoom} of whatever leaves the least */
function readMemoryRoom () {
  const machine = { limitBytes: os.totalmem(), freeBytes: freeOfMachine(), basis: 'the memory of the machine' }
  const rooms = [machine, ...readGroups(machine.limitBytes).map(({ limitBytes, freeBytes, ...group }) => ({ limitBytes, freeBytes, basis: basisOf(group), isContainer: true }))]
  // Where the groups cannot be read (other systems, a hidden /proc), Node.js may still know a limit.
  if (rooms.length === 1) rooms.push(...readConstrained(machine.limitBytes))
  return leastFree(rooms)
}

/** @template {{ freeBytes: number }} Room @param {Room[]} rooms  one at least */
function leastFree (rooms) {
  return rooms.reduce((least, room) => room.freeBytes < least.freeBytes ? room : least)
}

/** On Linux os.freemem() counts what the kernel can reclaim; elsewhere it does not: on macOS most of the memory is in caches. */
function freeOfMachine () {
  return process.platform === 'linux' ? os.freemem() : Math.max(os.freemem(), process.availableMemory?.() ?? 0)
}

/** @param {number} machineBytes @param {string} [proc] @returns {Group[]} from its own upwards */
function readGroups (machineBytes, proc = '/proc') {
  try {
    const [groups, mounts] = ['cgroup', 'mountinfo'].map(file => fs.readFileSync(`${proc}/self/${file}`, 'latin1'))
    const folders = groupFolders('memory', groups, mounts)
    return folders.flatMap(folder => readGroup(folder, machineBytes) ?? [])
  } catch {
    return [] // not Linux
  }
}

/** @param {string} folder @param {number} machineBytes @returns {Group | null} null when it limits nothing */
function readGroup (folder, machineBytes) {
  for (const version of VERSIONS) {
    const { limits, used, reclaimable } = version
    try {
      const all = limits.map(file => ({ limit: file, limitBytes: Number(read(folder, file)) }))
      // Version 1 writes about 2 ** 63 for "no limit", version 2 the word max.
      const found = all.find(({ limitBytes }) => limitBytes > 0 && limitBytes < machineBytes)
      if (found === undefined) return null
      const { limit, limitBytes } = found
      const [, given = '0'] = reclaimable.exec(read(folder, 'memory.stat')) ?? []
      const usedBytes = Number(read(folder, used)) - Number(given)
      return { limitBytes, freeBytes: Math.max(0, limitBytes - usedBytes), folder, limit, version }
    } catch {} // the other version, or the root group, which has no limit
  }
  return null
}

/** @param {Pick<Group, 'limit' | 'folder'>} group */
function basisOf ({ limit, folder }) {
  return `${limit} of ${folder}`
}

/**
 * @param {string} proc
 * @returns {Group | null} the one with the least left; null: none has a limit, or they cannot be read
 */
function tightestGroup (proc) {
  const groups = readGroups(os.totalmem(), proc)
  return groups.length === 0 ? null : leastFree(groups)
}

/** @param {string} [proc] @returns {ContainerMemory | null} null: no group has a limit, or they cannot be read */
function readContainer (proc = '/proc') {
  try {
    const group = tightestGroup(proc)
    if (group === null) return null
    const { limitBytes, freeBytes, folder, version: { own, events, swap, limits } } = group
    const high = limits.includes('memory.high') ? Number(read(folder, 'memory.high')) : NaN
    return {
      usedBytes: limitBytes - freeBytes,
      limitBytes,
      highBytes: high > 0 && high <= limitBytes ? high : null,
      processBytes: Number(own.exec(read(folder, 'memory.stat'))?.[1] ?? 0),
      ...events(folder),
      swap: readSwap(() => swap(folder), proc),
      pressure: readPressure(path.join(folder, 'memory.pressure'), 'container') ?? readPressure(`${proc}/pressure/memory`, 'machine'),
      basis: basisOf(group)
    }
  } catch {
    return null
  }
}

/**
 * @param {() => { usedBytes: number, limitBytes: number }} ofGroup
 * @param {string} proc
 * @returns {ContainerMemory['swap']}
 */
function readSwap (ofGroup, proc) {
  try {
    const { usedBytes, limitBytes } = ofGroup()
    const freeOfMachine = Number(/^SwapFree: +(\d+) kB$/m.exec(fs.readFileSync(`${proc}/meminfo`, 'latin1'))?.[1] ?? 0) * 1024
    const freeBytes = Math.max(0, Math.min(limitBytes - usedBytes, freeOfMachine))
    return usedBytes > 0 || freeBytes > 0 ? { usedBytes: Math.max(0, usedBytes), freeBytes } : null
  } catch {
    return null // the kernel does not count it
  }
}

/** @param {string} file @param {MemoryPressure['of']} of @returns {MemoryPressure | null} */
function readPressure (file, of) {
  try {
    const text = fs.readFileSync(file, 'latin1')
    const [someShare, fullShare] = ['some', 'full'].map(name => Number(new RegExp(`^${name} avg10=([\\d.]+)`, 'm').exec(text)?.[1] ?? 0) / 100)
    return { someShare, fullShare, of }
  } catch {
    return null
  }
}

/**
 * Reads the use of one group again and again: of files that stay open, into a buffer that stays. Close it. A reading takes some ten microseconds.
 */
class ContainerGauge {
  #buffer = Buffer.alloc(USE_BYTES)
  #files
  #reclaimable
  limitBytes
  basis

  /**
   * @param {string} [proc]
   * @returns {ContainerGauge | null} of the group with the tightest limit; null: no group has one, or they cannot be read
   */
  static open (proc = '/proc') {
    try {
      const group = tightestGroup(proc)
      return group && new ContainerGauge(group)
    } catch {
      return null // the group is gone
    }
  }

  /** @param {Group} group */
  constructor (group) {
    const { folder, version: { used, reclaimable } } = group
    this.limitBytes = group.limitBytes
    this.#reclaimable = reclaimable
    this.basis = basisOf(group)
    this.#files = [used, 'memory.stat'].map(name => fs.openSync(path.join(folder, name), 'r'))
  }

  /** @returns {{ usedBytes: number, limitBytes: number } | null} null: the group is gone */
  read () {
    try {
      const { limitBytes } = this
      const [use, stat] = this.#files
      const wholeBytes = Number(this.#text(use))
      if (wholeBytes < limitBytes * NOTABLE_USE) return { usedBytes: wholeBytes, limitBytes }
      return { usedBytes: wholeBytes - Number(this.#reclaimable.exec(this.#text(stat))?.[1] ?? 0), limitBytes }
    } catch {
      return null
    }
  }

  /** @param {number} fd */
  #text (fd) {
    return this.#buffer.toString('latin1', 0, fs.readSync(fd, this.#buffer, 0, USE_BYTES, 0))
  }

  close () {
    for (const fd of this.#files.splice(0)) fs.closeSync(fd)
  }
}

/** @param {string} folder */
function readEvents (folder) {
  const events = read(folder, 'memory.events')
  return { reclaimed: count(events, 'high') + count(events, 'max'), killed: count(events, 'oom_kill') }
}

/**
 * @param {string} text  lines of a name and a number
 * @param {string} name
 */
function count (text, name) {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** @param {number} machineBytes */
function readConstrained (machineBytes) {
  const limitBytes = process.constrainedMemory()
  // 0 when unknown, about 1.8e19 when unlimited.
  const usedBytes = residentBytes()
  if (!(limitBytes > 0 && limitBytes < machineBytes) || usedBytes === null) return []
  return [{ limitBytes, freeBytes: Math.max(0, limitBytes - usedBytes), basis: 'process.constrainedMemory()', isContainer: true }]
}

/** @param {string} folder @param {string} file */
function read (folder, file) {
  return fs.readFileSync(path.join(folder, file), 'latin1').trim()
}

module.exports = { ContainerGauge, readContainer, readMemoryRoom }
