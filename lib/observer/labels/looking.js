'use strict'

// When looks are taken: at random moments, so that they show which functions work for which route. Only a process that is at work is looked at,
// and less often when looks show nothing new.

const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')

// What a look costs the main thread: bench/labels.js.
const FASTEST_MS = 120
// At first nothing is known: so many looks come faster, and again as many after a while in which none had to.
const HURRIED_MS = 30
const MAX_HURRIED = 400
const MS_FOR_ANOTHER = 3000
const SLOWEST_MS = 500
const SLOWER = 1.5

class Looking {
  #parts
  #meanMs = FASTEST_MS
  #hurriedLeft = MAX_HURRIED
  #earnedMs = monotonicMs()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {() => boolean} parts.isBusy
   * @param {() => Promise<unknown>} parts.look  resolves when the main thread has noted it
   */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#timer !== undefined }

  /** To be called when there may be work. It ends by itself when there is none. */
  start () {
    if (!this.running && this.#parts.isBusy()) this.#lookLater()
  }

  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** @param {boolean} isNew  what the last looks told was not known before */
  adapt (isNew) {
    this.#meanMs = isNew ? Math.max(FASTEST_MS, this.#meanMs / SLOWER) : Math.min(SLOWEST_MS, this.#meanMs * SLOWER)
  }

  #lookLater () {
    const ms = -Math.log(1 - Math.random()) * this.#nextMeanMs() // so that no rhythm of the application is met or missed
    this.#timer = setTimeout(guarded(() => this.#look()), ms).unref()
  }

  #nextMeanMs () {
    const earned = Math.floor((monotonicMs() - this.#earnedMs) / MS_FOR_ANOTHER)
    this.#earnedMs += earned * MS_FOR_ANOTHER
    this.#hurriedLeft = Math.min(MAX_HURRIED, this.#hurriedLeft + earned)
    if (this.#meanMs > FASTEST_MS || this.#hurriedLeft === 0) return this.#meanMs
    this.#hurriedLeft--
    return HURRIED_MS
  }

  async #look () {
    const timer = this.#timer
    // One that waits until the main thread can be interrupted is enough.
    if (this.#parts.isBusy()) await this.#parts.look().catch(() => {})
    if (this.#timer !== timer) return // stopped meanwhile
    this.stop()
    this.start()
  }
}

module.exports = { Looking, FASTEST_MS }
