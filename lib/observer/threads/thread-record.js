'use strict'

// What is known of one worker thread: how much of the last minute it was at work, in which function most, and how long without a pause.

const { createStretchJoiner, microsOf } = require('./stretch-joiner')

/** @import { CodeFrame, Culprit } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { BusyTime } from './busy-stretches' */
/** @import { WholeStretch } from './stretch-joiner' */

const KEPT_MICROS = 60e6
// Where the sampler waits its turn, two samples far apart may have seen two short tasks.
const MIN_SAMPLES = 4

/** @typedef {CodeFrame & { share: number }} TopFunction  share: of the time at work */
/** @typedef {{ fromMicros: number, toMicros: number, busyMicros: number, longestMicros: number, stalls: number, culprit: Culprit | null }} WindowFigures */

/**
 * @typedef {object} ThreadFigures  of the last minute
 * @property {number} observedMs
 * @property {number} busyMs
 * @property {number} longestMs  at work without a pause
 * @property {number} lastingMs  the same, of the one that lasted when it was last looked at; 0: none
 * @property {number} stalls
 * @property {TopFunction | null} top
 */

/** @param {{ thresholdMs: number }} options */
function createThreadRecord (options) {
  return new ThreadRecord(options)
}

class ThreadRecord {
  #thresholdMicros
  #stretches = createStretchJoiner()
  /** Oldest first. @type {WindowFigures[]} */
  #windows = []

  /** @param {Parameters<typeof createThreadRecord>[0]} options */
  constructor ({ thresholdMs }) {
    this.#thresholdMicros = thresholdMs * 1e3
  }

  /**
   * @param {CpuProfile} window
   * @param {BusyTime} time    of it
   * @param {Culprit | null} culprit  of its time at work
   * @returns {WholeStretch[]} stalls that have ended
   */
  add (window, time, culprit) {
    const ended = this.#stretches.add(window, time)
    const stalls = ended.filter(stretch => this.#isStall(stretch))
    const open = this.#stretches.open
    const longestMicros = Math.max(0, ...[...ended, ...open === null ? [] : [open]].filter(isSeen).map(microsOf))
    const fromMicros = Math.max(window.startTime, this.#windows.at(-1)?.toMicros ?? 0)
    this.#windows.push({ fromMicros, toMicros: window.endTime, busyMicros: time.busyMicros, longestMicros, stalls: stalls.length, culprit })
    while (this.#windows[0].toMicros < window.endTime - KEPT_MICROS) this.#windows.shift()
    return stalls
  }

  /** @returns {WholeStretch[]} there is nothing more of it */
  end () {
    return this.#stretches.end().filter(stretch => this.#isStall(stretch))
  }

  /** @returns {ThreadFigures} */
  read () {
    const sum = (/** @type {(window: WindowFigures) => number} */ of) => this.#windows.reduce((all, window) => all + of(window), 0)
    const open = this.#stretches.open
    return {
      observedMs: Math.round(sum(({ fromMicros, toMicros }) => toMicros - fromMicros) / 1e3),
      busyMs: Math.round(sum(({ busyMicros }) => busyMicros) / 1e3),
      longestMs: Math.round(Math.max(0, ...this.#windows.map(({ longestMicros }) => longestMicros)) / 1e3),
      lastingMs: open !== null && this.#isStall(open) ? Math.round(microsOf(open) / 1e3) : 0,
      stalls: sum(({ stalls }) => stalls),
      top: this.#top()
    }
  }

  /** @param {WholeStretch} stretch */
  #isStall (stretch) {
    return isSeen(stretch) && microsOf(stretch) >= this.#thresholdMicros
  }

  /** The function that answers for most of the time. @returns {TopFunction | null} */
  #top () {
    /** @type {Map<string, { culprit: Culprit, micros: number }>} */
    const places = new Map()
    let busy = 0
    for (const { busyMicros, culprit } of this.#windows) {
      busy += busyMicros
      if (culprit === null) continue
      const key = `${culprit.function} ${culprit.file}:${culprit.functionLine}`
      places.set(key, { culprit, micros: (places.get(key)?.micros ?? 0) + busyMicros * culprit.share })
    }
    const [most] = [...places.values()].sort((left, right) => right.micros - left.micros)
    if (most === undefined) return null
    const { culprit: { function: name, file, line, column }, micros } = most
    return { function: name, file, line, column, share: Math.round(micros / busy * 1e3) / 1e3 }
  }
}

/** @param {WholeStretch} stretch */
function isSeen ({ samples }) {
  return samples >= MIN_SAMPLES
}

module.exports = { createThreadRecord }
