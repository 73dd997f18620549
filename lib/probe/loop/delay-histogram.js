'use strict'

// How late the loop was, tick by tick, as counts by upper bound since the start and as the maximum of the last minute.
// The heartbeat feeds it; it has no timer, and reading it changes nothing, so all readers see the same.

const { BucketCounts } = require('../../base/bucket-counts')
const monotonic = require('../../base/monotonic')

/** @import { BucketReading } from '../../base/bucket-counts' */

const MS_PER_SECOND = 1e3

// From an imperceptible delay to one that fails a liveness probe; 100 ms, the default stall threshold, is a bound.
const BOUNDS_SECONDS = Object.freeze([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

// Two slots, the current one and the previous one: a maximum stays visible for 30 to 60 s, whatever the scrape interval.
const SLOT_MICROS = 30e6

// Of the recent delays: each bucket is 5 % wider than the one before, from 10 µs to 84 s, so that a percentile is at most 2.5 % off.
const FIRST_MS = 0.01
const GROWTH = Math.log(1.05)
const BUCKETS = 327
// Of one late tick: beyond it one count stands for several missed ticks, so that a laptop that slept ten hours costs no more.
const MAX_FILLED = 1000

/**
 * A loop blocked for 300 ms gives one late tick, though ticks due 20, 40, 60 … ms after it would have been late too.
 * Counted alone it would vanish among the idle ticks of the same second (coordinated omission, nodejs/node#34661).
 * The missed ticks are counted here, per bound and not one by one: a laptop that slept ten hours missed millions.
 */
class BackFilledCounts extends BucketCounts {
  #periodMs
  #atMost = new Float64Array(BOUNDS_SECONDS.length)
  #count = 0
  #sumSeconds = 0

  /** @param {number} periodMs */
  constructor (periodMs) {
    super(BOUNDS_SECONDS)
    this.#periodMs = periodMs
  }

  /** @param {number} delayMs  counts delayMs - 1 period, delayMs - 2 periods … as long as they are above 0 */
  backFill (delayMs) {
    const periodMs = this.#periodMs
    const missed = Math.ceil(delayMs / periodMs) - 1
    for (let index = 0; index < BOUNDS_SECONDS.length; index++) {
      const boundMs = BOUNDS_SECONDS[index] * MS_PER_SECOND
      const aboveBound = Math.ceil((delayMs - boundMs) / periodMs) - 1
      this.#atMost[index] += missed - Math.min(missed, Math.max(0, aboveBound))
    }
    this.#count += missed
    this.#sumSeconds += (missed * delayMs - periodMs * missed * (missed + 1) / 2) / MS_PER_SECOND
  }

  /** @returns {BucketReading} */
  read () {
    const { bounds, counts, count, sum } = super.read()
    return {
      bounds,
      counts: counts.map((atMost, index) => atMost + this.#atMost[index]),
      count: count + this.#count,
      sum: sum + this.#sumSeconds
    }
  }
}

/** The delays of 30 seconds, fine enough for percentiles. */
class Slot {
  #counts = new Float64Array(BUCKETS)
  count = 0
  sumMs = 0
  squares = 0
  minMs = Infinity
  maxMs = 0

  /** @param {number} delayMs @param {number} times */
  add (delayMs, times) {
    const index = delayMs <= FIRST_MS ? 0 : Math.min(BUCKETS - 1, 1 + Math.floor(Math.log(delayMs / FIRST_MS) / GROWTH))
    this.#counts[index] += times
    this.count += times
    this.sumMs += delayMs * times
    this.squares += delayMs * delayMs * times
    if (delayMs < this.minMs) this.minMs = delayMs
    if (delayMs > this.maxMs) this.maxMs = delayMs
  }

  clear () {
    this.#counts.fill(0)
    this.count = this.sumMs = this.squares = this.maxMs = 0
    this.minMs = Infinity
  }

  /** @param {Slot} other */
  addSlot (other) {
    for (let index = 0; index < BUCKETS; index++) this.#counts[index] += other.#counts[index]
    this.count += other.count
    this.sumMs += other.sumMs
    this.squares += other.squares
    this.minMs = Math.min(this.minMs, other.minMs)
    this.maxMs = Math.max(this.maxMs, other.maxMs)
  }

  /** @param {number} share  0 to 1 */
  quantileMs (share) {
    const rank = share * this.count
    let upTo = 0
    let index = 0
    while (index < BUCKETS - 1 && (upTo += this.#counts[index]) < rank) index++
    const middleMs = index === 0 ? 0 : FIRST_MS * Math.exp((index - 0.5) * GROWTH)
    return Math.min(Math.max(middleMs, this.minMs), this.maxMs)
  }
}

/** @typedef {Record<'minMs' | 'maxMs' | 'meanMs' | 'stddevMs' | 'p50Ms' | 'p90Ms' | 'p99Ms', number>} RecentDelays  of the last 30 to 60 s */

class DelayHistogram {
  #periodMs
  #monotonicMicros
  #counts
  #maxMs = 0
  #slotStartMicros
  #slot = new Slot()
  #previousSlot = new Slot()

  /**
   * @param {object} options
   * @param {number} options.periodMs  of the heartbeat
   * @param {() => number} [options.monotonicMicros]
   */
  constructor ({ periodMs, monotonicMicros = monotonic.monotonicMicros }) {
    this.#periodMs = periodMs
    this.#monotonicMicros = monotonicMicros
    this.#counts = new BackFilledCounts(periodMs)
    this.#slotStartMicros = monotonicMicros()
  }

  /**
   * Called once per tick; allocates nothing.
   * @param {number} delayMs  the tick's own period subtracted; an early tick counts as 0
   */
  record (delayMs) {
    const lateMs = delayMs > 0 ? delayMs : 0
    this.#counts.observe(lateMs / MS_PER_SECOND)
    if (lateMs > this.#periodMs) this.#counts.backFill(lateMs)
    if (lateMs > this.#maxMs) this.#maxMs = lateMs
    this.#turnSlots()
    this.#slot.add(lateMs, 1)
    const missed = Math.ceil(lateMs / this.#periodMs) - 1
    const step = Math.ceil(missed / MAX_FILLED)
    for (let tick = 1; tick <= missed; tick += step) this.#slot.add(lateMs - tick * this.#periodMs, Math.min(step, missed - tick + 1))
  }

  /** Counts ticks that would have been on time. @param {number} count */
  addOnTime (count) {
    this.#counts.observe(0, count)
    this.#slot.add(0, count)
  }

  /** Slots begin at multiples of their length after the start, so it does not matter which caller turns them, or when. */
  #turnSlots () {
    const elapsedSlots = Math.floor((this.#monotonicMicros() - this.#slotStartMicros) / SLOT_MICROS)
    if (elapsedSlots < 1) return
    const full = this.#slot
    this.#slot = this.#previousSlot
    this.#previousSlot = full
    this.#slot.clear()
    if (elapsedSlots > 1) full.clear()
    this.#slotStartMicros += elapsedSlots * SLOT_MICROS
  }

  /** @returns {BucketReading} in seconds */
  read () { return this.#counts.read() }

  /**
   * @param {number} share  0 to 1
   * @returns {number} interpolated inside a bucket; never above the longest delay
   */
  quantileMs (share) {
    return Math.min(this.#counts.quantile(share) * MS_PER_SECOND, this.#maxMs)
  }

  /** Since start. */
  get maxMs () { return this.#maxMs }

  /** Of the last 30 to 60 s. */
  get recentMaxMs () {
    this.#turnSlots()
    return Math.max(this.#slot.maxMs, this.#previousSlot.maxMs)
  }

  /** @returns {RecentDelays | null} null before the first tick; percentiles are at most 2.5 % off */
  recent () {
    this.#turnSlots()
    const both = new Slot()
    both.addSlot(this.#previousSlot)
    both.addSlot(this.#slot)
    const { count, sumMs, squares, minMs, maxMs } = both
    if (count === 0) return null
    const meanMs = sumMs / count
    return {
      minMs,
      maxMs,
      meanMs,
      stddevMs: Math.sqrt(Math.max(0, squares / count - meanMs * meanMs)),
      p50Ms: both.quantileMs(0.5),
      p90Ms: both.quantileMs(0.9),
      p99Ms: both.quantileMs(0.99)
    }
  }
}

module.exports = { DelayHistogram }
