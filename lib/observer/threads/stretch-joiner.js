'use strict'

// Stretches of work that go on from one window of a thread into the next are one. Of each its longest part is kept to be looked into, so that one
// of hours costs no more than one of seconds. Pure but for what it remembers.

const { MAX_GAP_MICROS } = require('./busy-stretches')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { BusyTime, Stretch } from './busy-stretches' */

/** @typedef {Stretch & { window: CpuProfile }} Part */
/** @typedef {Stretch & { longest: Part }} WholeStretch */

function createStretchJoiner () {
  return new StretchJoiner()
}

class StretchJoiner {
  /** @type {WholeStretch | null} */
  #open = null

  /** The one that still lasted when the last window ended. */
  get open () { return this.#open }

  /**
   * @param {CpuProfile} window
   * @param {BusyTime} time  of it
   * @returns {WholeStretch[]} those that have ended, in order
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

  /** @returns {WholeStretch[]} there is nothing more of the thread */
  end () {
    const ended = this.#open === null ? [] : [this.#open]
    this.#open = null
    return ended
  }
}

/**
 * @param {WholeStretch} before
 * @param {WholeStretch} after
 * @returns {WholeStretch}
 */
function joined (before, after) {
  const longest = microsOf(after) > microsOf(before.longest) ? after.longest : before.longest
  return { fromMicros: before.fromMicros, toMicros: after.toMicros, samples: before.samples + after.samples, longest }
}

/** @param {Pick<Stretch, 'fromMicros' | 'toMicros'>} stretch */
function microsOf ({ fromMicros, toMicros }) {
  return toMicros - fromMicros
}

module.exports = { createStretchJoiner, microsOf }
