'use strict'

// Compares the CPU time of the observed thread with its samples. If the thread used more, the rest is the event loop's own work in idle
// samples, and becomes a row of its own in each window. It runs in the observer thread.

const { monotonicMicros } = require('../../base/monotonic')
const { LOOP_IO } = require('../../formats/profile/frame')
const { idleIds, metaFrame, withNode } = require('../../formats/profile/nodes')
const { sum } = require('../../base/sums')

/** @import { CpuProfile } from '../../../types/profile' */

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
// Shorter stretches hold too few samples to be compared with anything.
const MIN_STRETCH_MICROS = 400e3

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
    const allMicros = sum(stretches, ({ busyMicros, idleMicros }) => busyMicros + idleMicros)
    const leastMicros = Math.max(allMicros * MIN_SHARE, errorMicros(sum(stretches, ({ busyMicros }) => busyMicros), allMicros, sum(stretches, ({ samples }) => samples)))
    this.#balanceMicros = Math.max(-leastMicros, this.#balanceMicros + sum(stretches, surplusMicros))
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
  const all = sum(weights)
  return stretches.map(({ idleMicros }, index) => {
    return idleMicros === 0 || all === 0 ? 0 : Math.min(1, micros * weights[index] / all / idleMicros)
  })
}

/**
 * @typedef {{ micros: number, cpuMicros: number }} CpuReading  when, by the clock of the profile, and the thread's CPU time so far
 *
 * @typedef {object} Stretch  of a window, between two readings
 * @property {number} toMicros
 * @property {number} cpuMicros
 * @property {number} busyMicros  that the samples saw
 * @property {number} idleMicros
 * @property {number} samples
 */

/**
 * Finds the idle samples of a window that were CPU time of the event loop itself. V8 counts a thread as idle from the moment it polls for events
 * until JavaScript runs again, but libuv reads, accepts and writes in between. Only the number of these samples is known, not which ones they are: so
 * they are spread over the idle time between two readings of the CPU time of the thread.
 * @param {CpuProfile} window  in order
 * @param {readonly CpuReading[]} readings  in order
 * @returns {Stretch[]} those of which the CPU time is known, in order
 */
function stretchesOf ({ nodes, samples, timeDeltas, startTime, endTime }, readings) {
  const idle = idleIds(nodes)
  const fromMicros = Math.max(startTime, readings[0]?.micros ?? Infinity)
  const toMicros = Math.min(endTime, readings.at(-1)?.micros ?? -Infinity)
  if (toMicros - fromMicros < MIN_STRETCH_MICROS) return []
  const bounds = [fromMicros]
  for (const { micros } of readings) {
    if (micros - bounds[bounds.length - 1] >= MIN_STRETCH_MICROS && toMicros - micros >= MIN_STRETCH_MICROS) bounds.push(micros)
  }
  bounds.push(toMicros)
  const stretches = bounds.slice(1).map((end, index) => ({
    toMicros: end,
    cpuMicros: Math.min(end - bounds[index], cpuAt(readings, end) - cpuAt(readings, bounds[index])),
    busyMicros: 0,
    idleMicros: 0,
    samples: 0
  }))
  let at = startTime
  let current = 0
  samples.forEach((id, index) => {
    const delta = timeDeltas[index]
    at += delta
    const middle = at - delta / 2
    if (middle <= fromMicros || middle > toMicros) return
    while (middle > stretches[current].toMicros) current++
    stretches[current].samples++
    stretches[current][idle.has(id) ? 'idleMicros' : 'busyMicros'] += delta
  })
  return stretches
}

/** @param {readonly CpuReading[]} readings @param {number} micros  between the first and the last */
function cpuAt (readings, micros) {
  const index = Math.max(1, readings.findIndex(reading => reading.micros >= micros))
  const [before, after] = [readings[index - 1], readings[index]]
  const share = after.micros === before.micros ? 1 : (micros - before.micros) / (after.micros - before.micros)
  return before.cpuMicros + (after.cpuMicros - before.cpuMicros) * share
}

/**
 * @param {CpuProfile} window
 * @param {{ toMicros: number, share: number }[]} stretches  in order; share: of the idle time up to there, that was the loop's own
 * @returns {CpuProfile}
 */
function withLoopIo (window, stretches) {
  const { timeDeltas, startTime } = window
  const idle = idleIds(window.nodes)
  const { nodes, id } = withNode(window.nodes, metaFrame(LOOP_IO))
  let at = startTime
  let current = 0
  let owedMicros = 0
  const samples = window.samples.map((sample, index) => {
    const delta = timeDeltas[index]
    at += delta
    while (current < stretches.length - 1 && at - delta / 2 > stretches[current].toMicros) current++
    if (!idle.has(sample)) return sample
    owedMicros += delta * (at - delta / 2 > stretches[current].toMicros ? 0 : stretches[current].share)
    if (owedMicros < delta / 2 || delta === 0) return sample
    owedMicros -= delta
    return id
  })
  return { ...window, nodes, samples }
}

module.exports = { PERIOD_MS, ThreadCpu }
