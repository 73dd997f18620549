'use strict'

// Watches the memory of the process: the trend of what is left of the heap after collections, what is held outside of it, and the evidence of a
// heap that overflows. One for the process; nothing of it runs until it is asked for.

const { PerformanceObserver, constants } = require('node:perf_hooks')
const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { memoryUsage } = require('../../base/system/resident-bytes')
const { readMemory } = require('./memory-reading')
const { armNearLimit, oldLimitBytes } = require('./near-limit')
const { Trend } = require('./trend')

/** @import { HeapTrend, HeapWatch } from '../../../types/diagnostics' */
/** @import { Ask } from '../../link/channel' */
/** @import { StoreLocation } from '../../observer/captures' */
/** @import { Adopted } from '../../observer/heap/snapshot/orphaned-snapshots' */
/** @import { OutsideHeap } from '../../shared/findings/readings' */

const MIN_INTERVAL_MS = 10_000 // of what is left after collections: a slope of minutes needs no more

// Of what is held outside of the heap.
const EVERY_MS = 1000
const KEPT_MS = 15 * 60_000
const MAX_POINTS = 256 // then every other one goes
// A reading just before a collection is no level: the lowest of these seconds is.
const LEVEL_MS = 3000

const v8 = () => process.getBuiltinModule('node:v8') // loaded by those who watch

class HeapWatching {
  #nodeFlags
  #ask
  /** @type {GcWatch | undefined} */
  #gcWatch
  /** @type {Set<symbol>} */
  #watchers = new Set()
  #outside = createOutsideHeap()
  #unmark = () => {}
  #watchLimit = async () => {}

  /**
   * @param {object} parts
   * @param {readonly string[]} parts.nodeFlags
   * @param {Ask} parts.ask  the observer
   */
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
    const gcWatch = this.#gcWatch ??= new GcWatch({ limitBytes: this.#limitBytes() })
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

/** How much of the heap is used after a full collection. Between two readings nothing is done but to look at the kind of each collection. */
class GcWatch {
  #limitBytes
  #minIntervalMs
  #now
  #trend = new Trend()
  #lastAtMs = -Infinity
  /** @type {PerformanceObserver | undefined} */
  #observer

  /** @param {{ limitBytes?: number, minIntervalMs?: number, now?: () => number }} [options]  limitBytes: of the old generation */
  constructor ({ limitBytes = v8().getHeapStatistics().heap_size_limit, minIntervalMs = MIN_INTERVAL_MS, now = monotonicMs } = {}) {
    this.#limitBytes = limitBytes
    this.#minIntervalMs = minIntervalMs
    this.#now = now
  }

  start () {
    if (this.#observer !== undefined) return
    this.#observer = new PerformanceObserver(guarded(list => {
      if (list.getEntries().some(isFull)) this.#read()
    }))
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  stop () {
    this.#observer?.disconnect()
    this.#observer = undefined
  }

  /** @returns {HeapTrend} */
  trend () {
    return this.#trend.read(this.#limitBytes)
  }

  #read () {
    const atMs = this.#now()
    if (atMs - this.#lastAtMs < this.#minIntervalMs) return
    this.#lastAtMs = atMs
    const spaces = Object.fromEntries(v8().getHeapSpaceStatistics().map(({ space_name: name, space_used_size: bytes }) => [name, bytes]))
    // What is young has not been looked at by anybody: it is not what was left.
    const bytes = Object.entries(spaces).reduce((sum, [name, used]) => name.startsWith('new_') ? sum : sum + used, 0)
    this.#trend.add({ atMs, bytes, spaces })
  }
}

/** @param {any} entry */
function isFull ({ detail }) {
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

/**
 * How much memory the process has held outside of V8's heap (Buffers, native objects) over the last quarter of an hour, a reading a second.
 * @param {{ read?: typeof memoryUsage }} [parts]
 */
function createOutsideHeap ({ read = memoryUsage } = {}) {
  /** @type {{ atMs: number, bytes: number }[]} */
  let points = []
  let dueMs = -Infinity

  /**
   * To be called often. It is a comparison, but once a second.
   * @param {number} nowMs
   */
  function note (nowMs) {
    if (nowMs >= dueMs) take(nowMs)
  }

  /** @param {number} nowMs */
  function take (nowMs) {
    dueMs = nowMs + EVERY_MS
    const usage = read()
    if (usage === null) return null
    if (points.length >= MAX_POINTS) points = points.filter((_, index) => index % 2 === 0)
    points = points.filter(({ atMs }) => nowMs - atMs <= KEPT_MS)
    points.push({ atMs: nowMs, bytes: usage.external })
    return usage
  }

  return {
    note,

    /**
     * @param {number} nowMs
     * @returns {OutsideHeap | null} null where the system does not say it
     */
    read (nowMs) {
      const usage = take(nowMs)
      if (usage === null) return null
      const lowest = points.reduce((low, point) => point.bytes <= low.bytes ? point : low)
      const level = Math.min(...points.filter(({ atMs }) => nowMs - atMs <= LEVEL_MS).map(({ bytes }) => bytes))
      return {
        rssBytes: usage.rss,
        externalBytes: usage.external,
        buffersBytes: usage.arrayBuffers,
        grownBytes: Math.max(0, level - lowest.bytes),
        grownForMs: nowMs - lowest.atMs
      }
    }
  }
}

module.exports = { GcWatch, HeapWatching, createOutsideHeap }
