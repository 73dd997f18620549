'use strict'

// The CPU time of the observed thread beside what its samples saw: where the thread had more, the rest of it was the event loop's own work in
// idle samples, and becomes a row of its own in each window. It lives in the observer thread.

const { monotonicMicros } = require('../../base/monotonic')
const { stretchesOf, withLoopIo } = require('../../formats/profile/loop-io')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { CpuReading, Stretch } from '../../formats/profile/loop-io' */

const PERIOD_MS = 500
const KEEP_MICROS = 90e6 // the longest window, and a thread that was late
// A reading is of one moment: where this thread lost its processor in the middle of it, it is taken again with the next one.
const MAX_READING_MICROS = 3000
// What the samples say of busy time is right to some percent only. Less than this of a window, and less than twice the sampler's own error, is
// not shown, but added up with what comes.
const MIN_SHARE = 0.02
const ERRORS = 2
// The cost of sampling itself is no work of the loop's: so much is forgotten of what was not shown.
const FORGOTTEN_SHARE = 0.005

class ThreadCpu {
  #readCpuMs
  #noted
  #now
  /** @type {CpuReading[]} */
  #readings = []
  /** Not shown so far; negative where the samples saw more. */
  #balanceMicros = 0

  /**
   * @param {object} parts
   * @param {() => number | null} parts.readCpuMs  of the observed thread; null: the system does not tell
   * @param {() => CpuReading | null} [parts.noted]  what the thread itself noted last, where the system does not tell
   * @param {() => number} [parts.now]
   */
  constructor ({ readCpuMs, noted = () => null, now = monotonicMicros }) {
    this.#readCpuMs = readCpuMs
    this.#noted = noted
    this.#now = now
  }

  /** Takes a reading: to be called twice a second. */
  note = () => {
    const before = this.#now()
    const cpuMs = this.#readCpuMs()
    const micros = this.#now()
    if (micros - before > MAX_READING_MICROS) return
    const reading = cpuMs === null ? this.#noted() : { micros, cpuMicros: cpuMs * 1e3 }
    if (reading !== null) this.add(reading)
  }

  /** @param {CpuReading} reading */
  add (reading) {
    const last = this.#readings.at(-1)
    if (last !== undefined && (reading.micros <= last.micros || reading.cpuMicros < last.cpuMicros)) return
    this.#readings.push(reading)
    while (this.#readings[0].micros < reading.micros - KEEP_MICROS) this.#readings.shift()
  }

  /**
   * @param {CpuProfile} window  that has just ended; in order, without loopscope's frames
   * @returns {CpuProfile} with the event loop's own work, where there was some
   */
  show (window) {
    const stretches = stretchesOf(window, this.#readings)
    if (stretches.length === 0) return window
    const sum = (/** @type {(stretch: Stretch) => number} */ of) => stretches.reduce((all, stretch) => all + of(stretch), 0)
    const allMicros = sum(({ busyMicros, idleMicros }) => busyMicros + idleMicros)
    const leastMicros = Math.max(allMicros * MIN_SHARE, errorMicros(sum(({ busyMicros }) => busyMicros), allMicros, sum(({ samples }) => samples)))
    this.#balanceMicros = Math.max(-leastMicros, this.#balanceMicros + sum(surplusMicros))
    if (this.#balanceMicros < leastMicros) {
      this.#balanceMicros -= Math.sign(this.#balanceMicros) * Math.min(Math.abs(this.#balanceMicros), allMicros * FORGOTTEN_SHARE)
      return window
    }
    const shares = sharesOf(stretches, this.#balanceMicros)
    const shownMicros = shares.reduce((all, share, index) => all + share * stretches[index].idleMicros, 0)
    // What found no idle time here does not belong into the next window either.
    this.#balanceMicros = Math.min(this.#balanceMicros - shownMicros, leastMicros)
    return shownMicros === 0 ? window : withLoopIo(window, stretches.map(({ toMicros }, index) => ({ toMicros, share: shares[index] })))
  }
}

/**
 * Code that waited for a processor, or for a file, was seen in more samples than it had CPU time for: that hides nothing in other stretches.
 * @param {Stretch} stretch
 */
function surplusMicros ({ cpuMicros, busyMicros, idleMicros, samples }) {
  return Math.max(cpuMicros - busyMicros, -errorMicros(busyMicros, busyMicros + idleMicros, samples))
}

/**
 * How far busy time by so many samples may be from the truth.
 * @param {number} busyMicros
 * @param {number} allMicros
 * @param {number} samples
 */
function errorMicros (busyMicros, allMicros, samples) {
  const share = (busyMicros / Math.max(1, allMicros) * samples + 1) / (samples + 2)
  return ERRORS * Math.sqrt(share * (1 - share) / (samples + 2)) * allMicros
}

/**
 * @param {readonly Stretch[]} stretches
 * @param {number} micros  to be shown
 * @returns {number[]} of the idle time of each
 */
function sharesOf (stretches, micros) {
  const weights = stretches.map(({ cpuMicros, busyMicros }) => Math.max(0, cpuMicros - busyMicros))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return stretches.map(({ idleMicros }, index) => {
    return idleMicros === 0 || all === 0 ? 0 : Math.min(1, micros * weights[index] / all / idleMicros)
  })
}

module.exports = { PERIOD_MS, ThreadCpu }
