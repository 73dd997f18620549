'use strict'

// Keeps the recorder's windows and cuts views from them. It runs in the observer thread.

const { guarded } = require('../../base/guard')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { withoutOwnFrames } = require('../../formats/profile/own-frames')
const { inOrder, slice, merge } = require('./window')

/** @import { CpuProfile } from '../../../types/profile' */

class History {
  /** In order of time. @type {CpuProfile[]} */
  #windows = []
  #keepMicros
  #complete
  /** Starts of views still being recorded. @type {Set<{ fromMicros: number }>} */
  #pins = new Set()
  /** @type {Set<() => void>} */
  #waiting = new Set()

  /**
   * @param {object} options
   * @param {number} options.keepMicros
   * @param {(window: CpuProfile) => CpuProfile} [options.complete]  adds to a window what its samples do not have
   */
  constructor ({ keepMicros, complete = window => window }) {
    this.#keepMicros = keepMicros
    this.#complete = complete
  }

  /** Where the first window begins; Infinity without one. */
  get fromMicros () { return this.#windows[0]?.startTime ?? Infinity }

  /** Where the last window ends; -Infinity without one. */
  get toMicros () { return this.#windows.at(-1)?.endTime ?? -Infinity }

  /**
   * @param {CpuProfile} window
   * @returns {CpuProfile} the window with its samples in order of time, and without loopscope's frames
   */
  add (window) {
    const clean = this.#complete(withoutOwnFrames(inOrder(window)))
    this.#windows.push(clean)
    const pinned = Math.min(...[...this.#pins].map(({ fromMicros }) => fromMicros))
    const keepFrom = Math.min(window.endTime - this.#keepMicros, pinned)
    while (this.#windows.length > 1 && this.#windows[0].endTime < keepFrom) this.#windows.shift()
    for (const check of this.#waiting) check()
    return clean
  }

  /** Keeps everything from this moment on until the returned function is called. @param {number} fromMicros */
  pin (fromMicros) {
    const pin = { fromMicros }
    this.#pins.add(pin)
    return () => { this.#pins.delete(pin) }
  }

  /**
   * Resolves with true when there are windows up to this moment, with false after maxMs.
   * @param {number} toMicros
   * @param {number} maxMs
   * @returns {Promise<boolean>}
   */
  waitFor (toMicros, maxMs) {
    if (this.toMicros >= toMicros) return Promise.resolve(true)
    return new Promise(resolve => {
      /** @param {boolean} known */
      const settle = known => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve(known)
      }
      const check = () => { if (this.toMicros >= toMicros) settle(true) }
      const timer = setTimeout(guarded(settle), maxMs, false)
      this.#waiting.add(check)
    })
  }

  /**
   * What was recorded in this time, as one profile; null if nothing was.
   * @param {number} fromMicros
   * @param {number} toMicros
   * @param {{ fromMicros: number, toMicros: number }[]} [without]  parts of this time, in order, that count as idle
   * @returns {CpuProfile | null}
   */
  view (fromMicros, toMicros, without = []) {
    const starts = [fromMicros, ...without.map(stretch => stretch.toMicros)]
    const ends = [...without.map(stretch => stretch.fromMicros), toMicros]
    const slices = starts.flatMap((start, at) => this.#slices(Math.max(fromMicros, start), Math.min(toMicros, ends[at])))
    return slices.length === 0 ? null : merge(slices)
  }

  /** @param {number} fromMicros @param {number} toMicros */
  #slices (fromMicros, toMicros) {
    return this.#windows.flatMap((window, index) => {
      // A window opens before the previous one ends: where both overlap, the later one counts.
      const end = Math.min(toMicros, this.#windows[index + 1]?.startTime ?? Infinity, window.endTime)
      const start = Math.max(fromMicros, window.startTime)
      return end > start ? [slice(window, start, end)] : []
    })
  }

  clear () {
    this.#windows = []
  }
}

module.exports = { History }
