'use strict'

// Compares the CPU time of the observed thread with its samples. If the thread used more, the rest is the event loop's own work in idle
// samples, and becomes a row of its own in each window. It runs in the observer thread.

const { monotonicMicros } = require('../../base/monotonic')
const { stretchesOf, withLoopIo } = require('../../formats/profile/loop-io')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { CpuReading, Stretch } from '../../formats/profile/loop-io' */

const PERIOD_MS = 500
const KEEP_MICROS = 90e6 // the longest window, plus some lateness of the thread
// A reading must belong to one moment: if this thread lost its CPU in the middle of it, the next reading replaces it.
const MAX_READING_MICROS = 3000
// Busy time from samples is exact to some percent only. Less than this share of a window, or less than twice the sampling error, is not shown
// but carried over to the next window.
const MIN_SHARE = 0.02
const ERRORS = 2
// The cost of sampling itself is not the loop's work: this share is dropped from what was not shown.
const FORGOTTEN_SHARE = 0.005

class ThreadCpu {
  #readCpuMs
  #noted
  #now
  /** @type {CpuReading[]} */
  #readings = []
  /** CPU time not shown so far; negative if the samples show more than was used. */
  #balanceMicros = 0

  /**
   * @param {object} parts
   * @param {() => number | null} parts.readCpuMs  of the observed thread; null: the system does not report it
   * @param {() => CpuReading | null} [parts.noted]  the thread's own last reading, if the system does not report it
   * @param {() => number} [parts.now]
   */
  constructor ({ readCpuMs, noted = () => null, now = monotonicMicros }) {
    this.#readCpuMs = readCpuMs
    this.#noted = noted
    this.#now = now
  }

  /** Takes a reading. Called twice a second. */
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
   * @param {CpuProfile} window  a window that has just ended; in order, without loopscope's frames
   * @returns {CpuProfile} with the event loop's own work, if there was any
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
    // CPU time for which this window has no idle time left does not belong in the next window either.
    this.#balanceMicros = Math.min(this.#balanceMicros - shownMicros, leastMicros)
    return shownMicros === 0 ? window : withLoopIo(window, stretches.map(({ toMicros }, index) => ({ toMicros, share: shares[index] })))
  }
}

/**
 * Code that waited for a CPU or for a file has more samples than CPU time: that must not offset the surplus of other stretches.
 * @param {Stretch} stretch
 */
function surplusMicros ({ cpuMicros, busyMicros, idleMicros, samples }) {
  return Math.max(cpuMicros - busyMicros, -errorMicros(busyMicros, busyMicros + idleMicros, samples))
}

/**
 * The possible error of busy time estimated from this many samples.
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
 * @param {number} micros  the time to show
 * @returns {number[]} the share of each stretch's idle time
 */
function sharesOf (stretches, micros) {
  const weights = stretches.map(({ cpuMicros, busyMicros }) => Math.max(0, cpuMicros - busyMicros))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return stretches.map(({ idleMicros }, index) => {
    return idleMicros === 0 || all === 0 ? 0 : Math.min(1, micros * weights[index] / all / idleMicros)
  })
}

module.exports = { PERIOD_MS, ThreadCpu }
