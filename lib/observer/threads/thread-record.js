'use strict'

// Records what is measured of one worker thread: how much of the last minute it was busy, mostly in which function, and how long without a pause.
// More of its loop cannot be seen from outside. A message to its inspector is answered in the middle of its JavaScript (tried on Node 20 to 26),
// so the answer does not prove that the loop turns; samples do.

const { sum } = require('../../base/sums')

/** @import { CodeFrame, Culprit } from '../../../types/diagnostics' */
/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */

const KEPT_MICROS = 60e6
// With fewer samples, taken far apart because the sampler waited for a CPU, two short tasks would look like one long one.
const MIN_SAMPLES = 4
// V8's own frames around running code: neither work nor a pause.
const BETWEEN = new Set(['(root)', '(program)'])
const INTERVAL_MICROS = 20_000 // half as often as the recorder: there are many threads, and their stalls are long
// On a crowded machine the sampler waits for a CPU as well. What happened in a longer gap between two samples is unknown.
const MAX_GAP_MICROS = 250_000

/** @typedef {CodeFrame & { share: number }} TopFunction  share: of the busy time */
/** @typedef {{ fromMicros: number, toMicros: number, busyMicros: number, longestMicros: number, stalls: number, culprit: Culprit | null }} WindowFigures */

/**
 * @typedef {object} ThreadFigures  of the last minute
 * @property {number} observedMs
 * @property {number} busyMs
 * @property {number} longestMs  the longest time busy without a pause
 * @property {number} lastingMs  the same, of a stall that still lasted at the last window; 0: none
 * @property {number} stalls
 * @property {TopFunction | null} top
 */

/**
 * @typedef {{ fromMicros: number, toMicros: number, samples: number }} Stretch  samples: the number of samples in it
 * @typedef {object} BusyTime
 * @property {number} busyMicros
 * @property {Stretch[]} stretches  in order
 * @property {boolean} isOpenAtStart  the first one may have begun before the profile
 * @property {boolean} isOpenAtEnd
 */

/** @typedef {Stretch & { window: CpuProfile }} Part */
/** @typedef {Stretch & { longest: Part }} WholeStretch */

class ThreadRecord {
  #thresholdMicros
  #stretches = new StretchJoiner()
  /** Oldest first. @type {WindowFigures[]} */
  #windows = []

  /** @param {{ thresholdMs: number }} options */
  constructor ({ thresholdMs }) {
    this.#thresholdMicros = thresholdMs * 1e3
  }

  /**
   * @param {CpuProfile} window
   * @param {BusyTime} time    of the window
   * @param {Culprit | null} culprit  of the window's busy time
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

  /** @returns {WholeStretch[]} the stalls that end with the thread */
  end () {
    return this.#stretches.end().filter(stretch => this.#isStall(stretch))
  }

  /** @returns {ThreadFigures} */
  read () {
    const open = this.#stretches.open
    return {
      observedMs: Math.round(sum(this.#windows, ({ fromMicros, toMicros }) => toMicros - fromMicros) / 1e3),
      busyMs: Math.round(sum(this.#windows, ({ busyMicros }) => busyMicros) / 1e3),
      longestMs: Math.round(Math.max(0, ...this.#windows.map(({ longestMicros }) => longestMicros)) / 1e3),
      lastingMs: open !== null && this.#isStall(open) ? Math.round(microsOf(open) / 1e3) : 0,
      stalls: sum(this.#windows, ({ stalls }) => stalls),
      top: this.#top()
    }
  }

  /** @param {WholeStretch} stretch */
  #isStall (stretch) {
    return isSeen(stretch) && microsOf(stretch) >= this.#thresholdMicros
  }

  /** The function with the largest share of the busy time. @returns {TopFunction | null} */
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

/**
 * The times in which a thread was busy without a pause.
 * @param {CpuProfile} profile  in order; a thread that waits is idle in it
 * @returns {BusyTime}
 */
function busyStretches ({ nodes, samples, timeDeltas, startTime }) {
  const kinds = new Map(nodes.map(node => [node.id, kindOf(node)]))
  /** @type {Stretch[]} */
  const stretches = []
  /** @type {Stretch | null} */
  let open = null
  let isOpenAtStart = true
  let busyMicros = 0
  let at = startTime
  samples.forEach((id, index) => {
    at += timeDeltas[index]
    const kind = kinds.get(id)
    if (kind === 'idle') {
      open = null
      isOpenAtStart &&= stretches.length > 0
    }
    if (kind !== 'busy') return
    busyMicros += Math.min(timeDeltas[index], MAX_GAP_MICROS)
    if (open === null || at - open.toMicros > MAX_GAP_MICROS) {
      open = { fromMicros: at - Math.min(timeDeltas[index], INTERVAL_MICROS), toMicros: at, samples: 1 }
      stretches.push(open)
    } else {
      open.toMicros = at
      open.samples++
    }
  })
  return { busyMicros, stretches, isOpenAtStart: isOpenAtStart && stretches.length > 0, isOpenAtEnd: open !== null }
}

/** @param {ProfileNode} node */
function kindOf ({ callFrame: { functionName, url } }) {
  if (url === '' && functionName === '(idle)') return 'idle'
  return url === '' && BETWEEN.has(functionName) ? 'between' : 'busy'
}

/**
 * Joins stretches of work that continue from one window of a thread into the next. Of each it keeps only the longest part for the explanation,
 * so that a stretch of hours costs no more than one of seconds.
 */
class StretchJoiner {
  /** @type {WholeStretch | null} */
  #open = null

  /** The stretch that still lasted when the last window ended. */
  get open () { return this.#open }

  /**
   * @param {CpuProfile} window
   * @param {BusyTime} time  of the window
   * @returns {WholeStretch[]} the stretches that have ended, in order
   */
  add (window, { stretches, isOpenAtStart, isOpenAtEnd }) {
    /** @type {WholeStretch[]} */
    const all = stretches.map(stretch => ({ ...stretch, longest: { ...stretch, window } }))
    const before = this.#open
    if (before !== null) {
      if (isOpenAtStart && all[0].fromMicros - before.toMicros <= MAX_GAP_MICROS) all[0] = joined(before, all[0])
      else all.unshift(before)
    }
    this.#open = isOpenAtEnd ? all.pop() ?? null : null
    return all
  }

  /** @returns {WholeStretch[]} the stretch that ends with the thread */
  end () {
    const ended = this.#open === null ? [] : [this.#open]
    this.#open = null
    return ended
  }
}

/** @param {WholeStretch} before @param {WholeStretch} after @returns {WholeStretch} */
function joined (before, after) {
  const longest = microsOf(after) > microsOf(before.longest) ? after.longest : before.longest
  return { fromMicros: before.fromMicros, toMicros: after.toMicros, samples: before.samples + after.samples, longest }
}

/** @param {Pick<Stretch, 'fromMicros' | 'toMicros'>} stretch */
function microsOf ({ fromMicros, toMicros }) {
  return toMicros - fromMicros
}

module.exports = { INTERVAL_MICROS, busyStretches, StretchJoiner, ThreadRecord, microsOf }
