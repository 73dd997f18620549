'use strict'

// Decides whether a heap snapshot may be taken: whether it fits into memory, disk and the allowed pause (pure), and whether another one is in
// progress or has just ended. It measures nothing itself.

const { errors } = require('../../../base/errors')
const { monotonicMs } = require('../../../base/monotonic')

/** @import { Estimate } from './estimate' */
/** @import { MemoryRoom } from '../../../base/system/memory-room' */

/** @typedef {{ dir: string, bytes: number, maxBytes: number, isMemory: boolean }} DiskRoom */
/** @typedef {{ resource: string, needBytes: number, freeBytes: number, limitBytes: number, basis: string }} Shortage */

const MEMORY_SHARE = 0.8 // of free memory: the application goes on allocating at the same time
const DISK_MARGIN = 1.2
const COOL_DOWN_MS = 60_000 // a person takes longer to request another one; it stops a retrying client from pausing the process all the time
const MB = 1e6

const CHEAPER = 'a heap-histogram (objects per constructor) or a heap-profile (sampled allocations) costs a fraction of it; ' +
  'force takes the snapshot all the same'

/**
 * Throws if the snapshot does not fit.
 * @param {Estimate} cost
 * @param {{ memory: MemoryRoom, disk: DiskRoom, copies: number, maxPauseMs: number }} room  copies: how many copies of the file exist at the same time
 * @throws ERR_LOOPSCOPE_SNAPSHOT_REFUSED
 */
function assertFits (cost, room) {
  const reasons = [...findShortages(cost, room).map(describeShortage), ...describePause(cost, room)]
  if (reasons.length === 0) return
  const price = `it would take ${showMb(cost.memoryBytes)} of memory, ${showMb(cost.fileBytes)} of disk and ${(cost.pauseMs / 1e3).toFixed(1)} s of pause`
  throw new errors.ERR_LOOPSCOPE_SNAPSHOT_REFUSED(`${reasons.join('; ')}; ${price} (estimated from ${cost.basis})`, CHEAPER)
}

/** @param {Estimate} cost @param {{ memory: MemoryRoom, disk: DiskRoom, copies: number }} room @returns {Shortage[]} */
function findShortages ({ memoryBytes, reusableBytes, fileBytes }, { memory, disk, copies }) {
  const allFilesBytes = fileBytes * copies * DISK_MARGIN
  const needs = [
    {
      resource: disk.isMemory ? 'memory, the file included' : 'memory',
      needBytes: Math.max(0, memoryBytes - reusableBytes) + (disk.isMemory ? allFilesBytes : 0),
      freeBytes: memory.freeBytes * MEMORY_SHARE,
      limitBytes: memory.limitBytes,
      basis: `${MEMORY_SHARE * 100} % of what is free by ${memory.basis}`
    },
    {
      resource: 'disk',
      needBytes: allFilesBytes,
      freeBytes: disk.bytes,
      limitBytes: disk.bytes,
      basis: `${disk.dir}, with retention.minFreeBytes left`
    },
    {
      resource: 'captures',
      needBytes: fileBytes,
      freeBytes: disk.maxBytes,
      limitBytes: disk.maxBytes,
      basis: 'retention.maxBytes'
    }
  ]
  return needs.filter(({ needBytes, freeBytes }) => needBytes > freeBytes)
}

/** @param {Shortage} shortage */
function describeShortage ({ resource, needBytes, freeBytes, limitBytes, basis }) {
  const limit = limitBytes === freeBytes ? '' : `, limit ${showMb(limitBytes)}`
  return `${resource}: needs ${showMb(needBytes)}, may take ${showMb(freeBytes)} (${basis}${limit})`
}

/** @param {Estimate} cost @param {{ maxPauseMs: number }} room */
function describePause ({ pauseMs }, { maxPauseMs }) {
  if (pauseMs <= maxPauseMs) return []
  const [pause, allowed] = [pauseMs, maxPauseMs].map(ms => `${(ms / 1e3).toFixed(1)} s`)
  return [`pause: the process would stand still for ${pause}, at most ${allowed} are allowed`]
}

/** @param {number} bytes */
function showMb (bytes) {
  return `${(bytes / MB).toFixed(0)} MB`
}

/** Allows one snapshot at a time, and none soon after another. */
class Gate {
  #now
  #coolDownMs
  #isBusy = false
  #lastAt = -Infinity

  /** @param {{ now?: () => number, coolDownMs?: number }} [options] */
  constructor ({ now = monotonicMs, coolDownMs = COOL_DOWN_MS } = {}) {
    this.#now = now
    this.#coolDownMs = coolDownMs
  }

  /**
   * @param {boolean} force  skips the cool-down; two at once are never possible
   * @throws ERR_LOOPSCOPE_SNAPSHOT_BUSY, ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN
   */
  enter (force) {
    if (this.#isBusy) throw new errors.ERR_LOOPSCOPE_SNAPSHOT_BUSY()
    const waitMs = this.#lastAt + this.#coolDownMs - this.#now()
    if (waitMs > 0 && !force) throw new errors.ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN(this.#coolDownMs / 1e3, Math.ceil(waitMs / 1e3))
    this.#isBusy = true
  }

  /** @param {boolean} hasPaused  whether the process was paused: a refused snapshot needs no cool-down */
  leave (hasPaused) {
    this.#isBusy = false
    if (hasPaused) this.#lastAt = this.#now()
  }
}

module.exports = { MEMORY_SHARE, Gate, assertFits }
