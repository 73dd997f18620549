'use strict'

// What watches the heap of the process, wired: the trend of what is left after collections, and the evidence of a heap that
// overflows. One for the process; nothing of it runs until it is asked for.

const { guarded } = require('../../shared/base/guard')
const { monotonicMs } = require('../../shared/base/monotonic')
const { createGcWatch } = require('./gc-watch')
const { readMemory } = require('./memory-reading')
const { armNearLimit, oldLimitBytes } = require('./near-limit')
const { createOutsideHeap } = require('./outside-heap')

/** @import { HeapTrend, HeapWatch } from '../../../types/diagnostics' */
/** @import { Ask } from '../../bridge/channel' */
/** @import { StoreLocation } from '../../observer/captures' */
/** @import { Adopted } from '../../observer/heap/snapshot/orphaned-snapshots' */

/**
 * @param {object} parts
 * @param {readonly string[]} parts.nodeFlags
 * @param {Ask} parts.ask  the observer
 */
function createHeapWatching (parts) {
  return new HeapWatching(parts)
}

class HeapWatching {
  #nodeFlags
  #ask
  /** @type {ReturnType<typeof createGcWatch> | undefined} */
  #gcWatch
  /** @type {Set<symbol>} */
  #watchers = new Set()
  #outside = createOutsideHeap()
  #unmark = () => {}
  #watchLimit = async () => {}

  /** @param {Parameters<typeof createHeapWatching>[0]} parts */
  constructor ({ nodeFlags, ask }) {
    this.#nodeFlags = nodeFlags
    this.#ask = ask
  }

  /** @returns {HeapTrend | null} null while nobody watches */
  get trend () {
    return this.#watchers.size === 0 ? null : this.#gcWatch?.trend() ?? null
  }

  /** To be called with every tick: what is held outside the heap is read once a second. */
  tick () {
    this.#outside.note(monotonicMs())
  }

  /** How full the part of the heap is in which everything ends up that stays, what is held outside of it; the trend while somebody watches. */
  level () {
    const { heapUsedBytes, spaces } = readMemory()
    const oldBytes = spaces.reduce((sum, { name, usedBytes }) => name.startsWith('new_') ? sum : sum + usedBytes, 0)
    return { heapUsedBytes, oldBytes, limitBytes: this.#limitBytes(), trend: this.trend, outside: this.#outside.read(monotonicMs()) }
  }

  /**
   * From the first time that somebody watches until nobody does.
   * @returns {HeapWatch}
   */
  watch () {
    const gcWatch = this.#gcWatch ??= createGcWatch({ limitBytes: this.#limitBytes() })
    const watcher = Symbol('watcher')
    this.#watchers.add(watcher)
    gcWatch.start()
    const stop = () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) gcWatch.stop()
    }
    return { trend: () => gcWatch.trend(), stop }
  }

  /**
   * Sees to it that evidence is left when the heap overflows, and takes in what dead processes left.
   * @param {{ onNearHeapLimit: 'profile' | 'snapshot', location: StoreLocation }} wanted
   * @param {(adopted: Adopted[]) => void} onAdopted
   */
  async watchLimit ({ onNearHeapLimit: mode, location }, onAdopted) {
    const folder = armNearLimit(mode, this.#nodeFlags)
    const { unmark } = require('../../shared/heap/near-limit-mark') // loaded by those who want it, before it is needed
    const { applicationFolder } = require('../../shared/store/file-name')
    this.#unmark = guarded(() => unmark(applicationFolder(location.dir, location)))
    process.once('exit', this.#unmark) // a process that ends well leaves nothing of this kind
    const order = { mode, folder, limitBytes: this.#limitBytes(), location }
    this.#watchLimit = async () => onAdopted(await this.#ask('watchLimit', { order }))
    return this.#watchLimit()
  }

  /** To be called when there is another observer. */
  resume () {
    return this.#watchLimit()
  }

  stop () {
    this.#watchers.clear()
    this.#gcWatch?.stop()
    process.off('exit', this.#unmark)
    this.#unmark()
    this.#unmark = () => {}
  }

  #limitBytes () {
    return oldLimitBytes(readMemory().heapLimitBytes, this.#nodeFlags)
  }
}

module.exports = { createHeapWatching }
