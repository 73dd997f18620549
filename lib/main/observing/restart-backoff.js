'use strict'

// When the observer thread is started again after it was lost: soon the first time, later each time it is lost again. A start
// costs the main thread a cold start of the profiler, so what never runs for long must not be tried often.

const { guarded } = require('../../shared/base/guard')
const { monotonicMs } = require('../../shared/base/monotonic')
const { clearTimeout, setTimeout } = require('../../shared/base/timers')

const FIRST_MS = 1000
const MAX_MS = 300_000 // and who ran for so long begins anew

/**
 * @param {object} parts
 * @param {() => unknown} parts.start
 * @param {() => number} [parts.now]  milliseconds, monotonic
 */
function createRestartBackoff (parts) {
  return new RestartBackoff(parts)
}

class RestartBackoff {
  #start
  #now
  #count = 0
  #startedMs
  #waitMs = FIRST_MS
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {Parameters<typeof createRestartBackoff>[0]} parts */
  constructor ({ start, now = monotonicMs }) {
    this.#start = start
    this.#now = now
    this.#startedMs = now()
  }

  /** How often it was started again. */
  get count () { return this.#count }

  /** To be called when it is lost. */
  plan () {
    if (this.#now() - this.#startedMs >= MAX_MS) this.#waitMs = FIRST_MS
    this.#timer = setTimeout(guarded(() => this.#run()), this.#waitMs).unref()
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_MS)
  }

  stop () {
    clearTimeout(this.#timer)
  }

  #run () {
    this.#count++
    this.#startedMs = this.#now()
    return this.#start()
  }
}

module.exports = { createRestartBackoff, FIRST_MS, MAX_MS }
