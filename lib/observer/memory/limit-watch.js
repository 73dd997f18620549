'use strict'

// Notices when the memory of the container, or V8's heap, comes near its limit, and has a report written before: the kernel kills without asking, and
// V8 has no time left. The use is read once a second, more often the sooner the limit can be reached; an idle process is not woken up for it.

const { setTimeout: sleep } = require('node:timers/promises')
const { guarded } = require('../../base/guard')
const { monotonicMicros, monotonicMs } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { ContainerGauge } = require('../../base/system/memory-room')
const { residentBytes } = require('../../base/system/resident-memory')

/** @import { MemoryReport } from '../../../types/memory' */
/** @import { StartInterval } from '../../base/timers' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { StoreLocation } from '../captures' */

const CALM_MS = 1000
const ALERT_MS = 200 // the observer wakes up this often anyway
const MIN_MS = 10
const ALERT_BYTES = 500e6 // left: a leak of some hundred MB/s fills that within a second or two
const READINGS_LEFT = 4 // until the share is reached, at the present rate
const SLOWS_DOWN = 0.5 // the rate counts for half at the next reading: garbage collections make steps
const LEAST_MS = 700 // that the report may need until it has arrived: where the limit is reached sooner, it is written earlier
const EARLIER_SHARE = 0.15
const REARM_SHARE = 0.15 // below the share: the next report is about another episode
// Of its limit, from which V8 ends the process after four collections in a row that free little (kHighHeapPercentage in V8's heap.cc). Where
// garbage alone brings it there again and again, it is not below 0.6 in between: V8 collects halfway between what was left and the limit.
const MAX_HEAP_SHARE = 0.8
const HEAP_REARM_SHARE = 0.2
const NEAR_SHARE = 0.05 // below the share, or this soon: the report is prepared
const NEAR_MS = 2000
const MIN_NEAR_SHARE = 0.4 // a process that starts grows fast
const FLOOR_MS = 2000 // of this time the lowest use counts: garbage comes and goes
const FLOORS = 4
const MIN_RISE_SHARE = 0.03 // of the limit, over all of them
const FILLING_MS = 5 * 60_000 // until the share is reached: what takes longer is noticed as growth
const MIN_UPTIME_SECONDS = 10
const FIND_AGAIN_MS = 30_000 // which group has the tightest limit
const STALE_MS = 1500 // the main thread leaves its figures once a second
const HEAP_NOTABLE = 0.6 // of its limit: the inspector is asked how full it is

/**
 * @typedef {object} MemoryLimitOrder
 * @property {number} share           of a limit at which a report is written
 * @property {number} heapLimitBytes  of the old generation
 * @property {StoreLocation} location
 * @property {string} entry  the file that was started
 *
 * @typedef {{ usedBytes: number, limitBytes: number, basis: string }} Use
 */

/** One limit: how fast its use grows, and whether it is time for a report. */
class Gauge {
  #share
  #rearmShare
  #isArmed = true
  /** @type {{ atMs: number, usedBytes: number } | null} */
  #last = null
  #bytesPerMs = 0
  /** The lowest use of each stretch of time, newest last. @type {{ fromMs: number, usedBytes: number }[]} */
  #floors = []

  /**
   * @param {number} share  of the limit, at which a report is due
   * @param {number} [rearmShare]  so far below it the next one may be due
   */
  constructor (share, rearmShare = REARM_SHARE) {
    this.#share = share
    this.#rearmShare = rearmShare
  }

  get bytesPerMs () { return this.#bytesPerMs }

  /**
   * @param {number} atMs
   * @param {Pick<Use, 'usedBytes' | 'limitBytes'>} use
   * @returns {{ isDue: boolean, isNear: boolean, isFast: boolean, fullInMs: number | null, nextMs: number }}  fullInMs: until the share is reached, where
   *   the use has risen for some seconds and reaches it within minutes
   */
  read (atMs, { usedBytes, limitBytes }) {
    const last = this.#last
    const since = last === null ? 0 : atMs - last.atMs
    const rate = last === null || since <= 0 ? 0 : Math.max(0, usedBytes - last.usedBytes) / since
    this.#bytesPerMs = Math.max(rate, this.#bytesPerMs * SLOWS_DOWN)
    this.#last = { atMs, usedBytes }
    this.#noteFloor(atMs, usedBytes)
    const share = usedBytes / limitBytes
    if (share < this.#share - this.#rearmShare) this.#isArmed = true
    const isSoon = share >= this.#share - EARLIER_SHARE && (limitBytes - usedBytes) / this.#bytesPerMs < LEAST_MS
    const isDue = this.#isArmed && (share >= this.#share || isSoon)
    if (isDue) this.#isArmed = false
    const leftBytes = limitBytes * this.#share - usedBytes
    const isFast = share >= MIN_NEAR_SHARE && leftBytes / this.#bytesPerMs < NEAR_MS
    const isNear = this.#isArmed && (isFast || share >= this.#share - NEAR_SHARE)
    const fullInMs = this.#isArmed && share >= MIN_NEAR_SHARE ? this.#fullInMs(leftBytes, limitBytes) : null
    return { isDue, isNear, isFast, fullInMs, nextMs: this.#isArmed ? nextMs(leftBytes, this.#bytesPerMs) : CALM_MS }
  }

  /** @param {number} atMs @param {number} usedBytes */
  #noteFloor (atMs, usedBytes) {
    const floors = this.#floors
    const last = floors.at(-1)
    if (last !== undefined && atMs - last.fromMs < FLOOR_MS) last.usedBytes = Math.min(last.usedBytes, usedBytes)
    else floors.push({ fromMs: atMs, usedBytes })
    if (floors.length > FLOORS) floors.shift()
  }

  /** @param {number} leftBytes @param {number} limitBytes */
  #fullInMs (leftBytes, limitBytes) {
    const floors = this.#floors
    if (floors.length < FLOORS || floors.some(({ usedBytes }, at) => at > 0 && usedBytes <= floors[at - 1].usedBytes)) return null
    const [first, last] = [floors[0], floors[FLOORS - 1]]
    const risenBytes = last.usedBytes - first.usedBytes
    const fullInMs = leftBytes / risenBytes * (last.fromMs - first.fromMs)
    return risenBytes >= limitBytes * MIN_RISE_SHARE && leftBytes > 0 && fullInMs <= FILLING_MS ? fullInMs : null
  }
}

/** @param {number} leftBytes @param {number} bytesPerMs */
function nextMs (leftBytes, bytesPerMs) {
  const most = leftBytes < ALERT_BYTES ? ALERT_MS : CALM_MS
  return Math.max(MIN_MS, Math.min(most, leftBytes / bytesPerMs / READINGS_LEFT))
}

class MemoryLimitWatch {
  #parts
  #order
  #now
  #heap
  #containerUse
  /** @type {ContainerGauge | null} */
  #container = null
  #foundMs = -Infinity
  #dueMs = 0
  #isReading = false
  /** @type {Promise<{ usedSize: number } | undefined> | undefined} */
  #asked
  /** @type {NodeJS.Timeout | undefined} */
  #soon
  /** @type {(() => void) | undefined} */
  #end

  /**
   * @param {MemoryLimitOrder} order
   * @param {object} parts
   * @param {Pick<SharedState, 'notedMemory'>} parts.state
   * @param {{ hasSession: boolean, post: (method: string, params?: object) => Promise<any> }} parts.recorder
   * @param {StartInterval} parts.interval
   * @param {(how: { isFast: boolean }) => unknown} parts.prepare  called while a limit is near
   * @param {(limit: MemoryReport['limit']) => Promise<unknown>} parts.report
   * @param {(fullInMs: number) => unknown} [parts.fills]  called while a limit would be reached within minutes, before it is near
   * @param {() => number} [parts.now]  milliseconds, monotonic
   */
  constructor (order, parts) {
    this.#order = order
    this.#parts = parts
    this.#now = parts.now ?? monotonicMs
    this.#heap = new Gauge(Math.min(order.share, MAX_HEAP_SHARE), HEAP_REARM_SHARE)
    this.#containerUse = new Gauge(order.share)
  }

  start () {
    this.#end ??= this.#parts.interval(ALERT_MS, () => { if (this.#now() >= this.#dueMs) return this.check() })
  }

  stop () {
    this.#end?.()
    this.#end = undefined
    clearTimeout(this.#soon)
    this.#container?.close()
    this.#container = null
    this.#foundMs = Infinity
  }

  /** One reading. */
  async check () {
    if (this.#isReading) return
    this.#isReading = true
    try {
      await this.#check()
    } finally {
      this.#isReading = false
    }
  }

  async #check () {
    const atMs = this.#now()
    const container = this.#readContainer(atMs)
    const readings = [
      ...(container === null ? [] : [{ of: /** @type {const} */ ('container'), gauge: this.#containerUse, use: container }]),
      { of: /** @type {const} */ ('heap'), gauge: this.#heap, use: await this.#readHeap() }
    ].map(reading => ({ ...reading, ...reading.gauge.read(atMs, reading.use) }))
    const next = Math.min(...readings.map(({ nextMs }) => nextMs))
    this.#dueMs = atMs + next
    const due = readings.find(({ isDue }) => isDue)
    const near = readings.filter(({ isNear }) => isNear)
    if (near.length > 0) this.#parts.prepare({ isFast: near.some(({ isFast }) => isFast) })
    const fullInMs = Math.min(...readings.map(({ fullInMs }) => fullInMs ?? Infinity))
    if (fullInMs !== Infinity && process.uptime() >= MIN_UPTIME_SECONDS) this.#parts.fills?.(fullInMs)
    if (due !== undefined) {
      const { of, gauge, use } = due
      await this.#parts.report({ of, ...use, bytesPerSecond: Math.round(gauge.bytesPerMs * 1e3) })
    }
    if (next < ALERT_MS && this.#end !== undefined) {
      clearTimeout(this.#soon)
      this.#soon = setTimeout(guarded(() => this.check()), next).unref()
    }
  }

  /** @param {number} atMs @returns {Use | null} */
  #readContainer (atMs) {
    if (atMs - this.#foundMs > FIND_AGAIN_MS) {
      this.#foundMs = atMs
      this.#container?.close()
      this.#container = ContainerGauge.open()
    }
    const use = this.#container?.read() ?? null
    return use && { ...use, basis: /** @type {ContainerGauge} */ (this.#container).basis }
  }

  /**
   * The main thread's figures cost nothing. They are a second old, and older while it is blocked: the inspector has those of now.
   * @returns {Promise<Use>}
   */
  async #readHeap () {
    const { state: { notedMemory: noted }, recorder } = this.#parts
    const { heapLimitBytes: limitBytes } = this.#order
    const use = { usedBytes: noted?.heapUsedBytes ?? 0, limitBytes, basis: "V8's heap limit" }
    const isStale = noted !== null && monotonicMicros() - noted.atMicros > STALE_MS * 1e3
    const mayBeFull = use.usedBytes >= limitBytes * HEAP_NOTABLE || (isStale && (residentBytes() ?? 0) >= limitBytes * HEAP_NOTABLE)
    if (!mayBeFull || !recorder.hasSession) return use
    // A thread that does not answer is not asked again.
    this.#asked ??= recorder.post('Runtime.getHeapUsage').catch(() => undefined).finally(() => { this.#asked = undefined })
    const answer = await Promise.race([this.#asked, sleep(ALERT_MS, undefined, { ref: false })])
    return answer === undefined ? use : { ...use, usedBytes: answer.usedSize }
  }
}

module.exports = { Gauge, MemoryLimitWatch }
