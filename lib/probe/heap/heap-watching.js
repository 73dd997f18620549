'use strict'

// Watches the memory of the process: figures for the observer once a second and after each full collection, the trend of the heap on request, the
// memory outside the heap, and the evidence of a heap that overflows. One per process.

const { Promise } = require('../../base/globals')
const { guarded } = require('../../base/guard')
const { monotonicMicros, monotonicMs } = require('../../base/monotonic')
const { memoryUsage } = require('../../base/system/resident-memory')
const { setImmediate } = require('../../base/timers')
const { readMemory, readSpaces } = require('./memory-reading')
const { armNearLimit, oldLimitBytes } = require('./near-limit')
const { Trend } = require('../../shared/heap/trend')
const { WorkerHeaps } = require('./worker-heaps')

/** @import { HeapTrend, HeapWatch } from '../../../types/diagnostics' */
/** @import { Ask } from '../../link/channel' */
/** @import { StoreLocation } from '../../observer/captures' */
/** @import { Adopted } from '../../observer/heap/snapshot/orphaned-snapshots' */
/** @import { OutsideHeap } from '../../shared/findings/readings' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { Collections, CollectionType } from './collections' */

const MIN_INTERVAL_MS = 10_000 // between readings after collections: a slope over minutes needs no more

// Of the memory outside the heap.
const EVERY_MS = 1000
const KEPT_MS = 15 * 60_000
const MAX_POINTS = 256 // beyond that every second one is dropped
// A reading just before a collection is not a level; the lowest reading of this time is.
const LEVEL_MS = 3000

class HeapWatching {
  #nodeFlags
  #ask
  #state
  #workers
  #collections
  #collected = 0
  /** How much of the heap is used after a full collection. */
  #trend = new Trend()
  #trendAtMs = -Infinity
  #minIntervalMs
  #now
  /** @type {Set<symbol>} */
  #watchers = new Set()
  #outside = createOutsideHeap({ read: () => this.note() })
  #unmark = () => {}
  #watchLimit = async () => {}
  #watchMemory = async () => {}

  /**
   * @param {object} parts
   * @param {readonly string[]} parts.nodeFlags
   * @param {Ask} parts.ask  the observer
   * @param {Pick<Collections, 'listeners'>} parts.collections  of garbage, in this thread
   * @param {Pick<SharedState, 'noteMemory' | 'noteCollection'>} parts.state
   * @param {ConstructorParameters<typeof WorkerHeaps>[0]['isOwn']} parts.isOwn
   * @param {number} [parts.minIntervalMs]  of the trend's points
   * @param {() => number} [parts.now]
   */
  constructor ({ nodeFlags, ask, collections, state, isOwn, minIntervalMs = MIN_INTERVAL_MS, now = monotonicMs }) {
    this.#minIntervalMs = minIntervalMs
    this.#now = now
    this.#nodeFlags = nodeFlags
    this.#ask = ask
    this.#collections = collections
    this.#state = state
    this.#workers = new WorkerHeaps({ isOwn })
  }

  start () {
    this.#workers.start()
    this.#collections.listeners.add(this.#noteCollection)
  }

  /** @returns {HeapTrend | null} null while nothing watches */
  get trend () {
    return this.#watchers.size === 0 ? null : this.#readTrend()
  }

  /** All figures of this thread, and its workers' heaps; the observer's are renewed. */
  async owners () {
    this.note()
    const [memory, workers] = [readMemory(), await this.#workers.read()]
    return { ...memory, workers }
  }

  /** Call it with every tick: memory is read once a second. */
  tick () {
    this.#outside.note(monotonicMs())
  }

  /** How full the old generation is, the memory outside the heap, and the trend while it is watched. */
  level () {
    const { heapUsedBytes, spaces } = readMemory()
    return { heapUsedBytes, oldBytes: oldBytesOf(spaces), limitBytes: this.#limitBytes(), trend: this.trend, outside: this.#outside.read(monotonicMs()) }
  }

  /** Watches from the first watcher until the last one stops. @returns {HeapWatch} */
  watch () {
    const watcher = Symbol('watcher')
    this.#watchers.add(watcher)
    return { trend: () => this.#readTrend(), stop: () => { this.#watchers.delete(watcher) } }
  }

  /**
   * Makes sure that evidence is left when the heap overflows, and adopts the files of dead processes.
   * @param {{ onNearHeapLimit: 'profile' | 'snapshot', location: StoreLocation }} wanted
   * @param {(adopted: Adopted[]) => void} onAdopted
   */
  async watchLimit ({ onNearHeapLimit: mode, location }, onAdopted) {
    const folder = armNearLimit(mode, this.#nodeFlags)
    const { unmark } = require('../../shared/heap/near-limit-mark') // loaded only where it is enabled, before it is needed
    const { applicationFolder } = require('../../shared/store/file-name')
    this.#unmark = guarded(() => unmark(applicationFolder(location.dir, location)))
    process.once('exit', this.#unmark) // a normal exit leaves no mark
    const order = { mode, folder, limitBytes: this.#limitBytes(), location }
    this.#watchLimit = async () => onAdopted(await this.#ask('watchLimit', { order }))
    return this.#watchLimit()
  }

  /**
   * Makes sure that a report is written before the container's memory, or the heap, is full.
   * @param {{ share: number, location: StoreLocation }} wanted
   */
  async reportBeforeLimit ({ share, location }) {
    await new Promise(resolve => { setImmediate(guarded(() => resolve(undefined))).unref() }) // a process that ends at once does not load node:v8
    const order = { share, heapLimitBytes: this.#limitBytes(), location, entry: process.argv[1] ?? '' }
    this.#watchMemory = () => this.#ask('watchMemory', { order })
    return this.#watchMemory()
  }

  /** Call it after an observer restart. */
  async resume () {
    await Promise.all([this.#watchLimit(), this.#watchMemory()])
  }

  stop () {
    this.#workers.stop()
    this.#collections.listeners.delete(this.#noteCollection)
    this.#watchers.clear()
    process.off('exit', this.#unmark)
    this.#unmark()
    this.#unmark = () => {}
  }

  /** Leaves the figures of now for the observer. */
  note () {
    const usage = memoryUsage()
    if (usage !== null) {
      this.#state.noteMemory({
        atMicros: monotonicMicros(),
        heapUsedBytes: usage.heapUsed,
        heapTotalBytes: usage.heapTotal,
        oldBytes: oldBytesOf(readSpaces()),
        externalBytes: usage.external,
        buffersBytes: usage.arrayBuffers,
        workers: this.#workers.count
      })
    }
    return usage
  }

  /** Young objects have not been through a full check: they are not what was left. */
  #noteCollection = (/** @type {CollectionType} */ type) => {
    if (type !== 'major') return
    const spaces = readSpaces()
    const oldBytes = oldBytesOf(spaces)
    const usage = memoryUsage()
    if (usage !== null) {
      this.#state.noteCollection({ atMicros: monotonicMicros(), count: ++this.#collected, oldBytes, externalBytes: usage.external, buffersBytes: usage.arrayBuffers })
    }
    const atMs = this.#now()
    if (this.#watchers.size === 0 || atMs - this.#trendAtMs < this.#minIntervalMs) return
    this.#trendAtMs = atMs
    this.#trend.add({ atMs, bytes: oldBytes, spaces: Object.fromEntries(spaces.map(({ name, usedBytes }) => [name, usedBytes])) })
  }

  /** @returns {HeapTrend} */
  #readTrend () {
    return this.#trend.read(this.#limitBytes())
  }

  #limitBytes () {
    return oldLimitBytes(readMemory().heapLimitBytes, this.#nodeFlags)
  }
}

/** @param {ReturnType<typeof readSpaces>} spaces */
function oldBytesOf (spaces) {
  return spaces.reduce((sum, { name, usedBytes }) => name.startsWith('new_') ? sum : sum + usedBytes, 0)
}

/** V8 does not count the memory of a SharedArrayBuffer as external. @param {NodeJS.MemoryUsage} usage */
function allExternal ({ external, arrayBuffers }) {
  return Math.max(external, arrayBuffers)
}

/**
 * The memory that the process has held outside V8's heap (Buffers, native objects) over the last 15 minutes, one reading a second.
 * @param {{ read?: typeof memoryUsage }} [parts]
 */
function createOutsideHeap ({ read = memoryUsage } = {}) {
  /** @type {{ atMs: number, bytes: number }[]} */
  let points = []
  let dueMs = -Infinity

  /** Call it often: it is only a comparison, except once a second. @param {number} nowMs */
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
    points.push({ atMs: nowMs, bytes: allExternal(usage) })
    return usage
  }

  return {
    note,

    /**
     * @param {number} nowMs
     * @returns {OutsideHeap | null} null where the system does not report it
     */
    read (nowMs) {
      const usage = take(nowMs)
      if (usage === null) return null
      const lowest = points.reduce((low, point) => point.bytes <= low.bytes ? point : low)
      const level = Math.min(...points.filter(({ atMs }) => nowMs - atMs <= LEVEL_MS).map(({ bytes }) => bytes))
      return {
        rssBytes: usage.rss,
        externalBytes: allExternal(usage),
        buffersBytes: usage.arrayBuffers,
        grownBytes: Math.max(0, level - lowest.bytes),
        grownForMs: nowMs - lowest.atMs
      }
    }
  }
}

module.exports = { HeapWatching, createOutsideHeap }
