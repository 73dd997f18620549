'use strict'

// How long the loop was at work and how long it waited, cumulative, in the shape of performance.eventLoopUtilization().
// While the recorder runs its samples tell: libuv forgets what it has waited for when a signal ends the wait, and a
// sampling profiler sends a hundred a second, so that Node's own figures call an idle loop half busy (Node 20 to 26).
// They come with the windows, up to two of them late.

const { performance } = require('node:perf_hooks')

/** @import { EventLoopUtilization } from 'node:perf_hooks' */

/** @param {{ eventLoopUtilization?: () => EventLoopUtilization }} [options] */
function createLoopTime ({ eventLoopUtilization = performance.eventLoopUtilization } = {}) {
  return new LoopTime(eventLoopUtilization)
}

class LoopTime {
  #eventLoopUtilization
  #activeMs = 0
  #idleMs = 0
  /** Node's figures, up to which they are counted. */
  #mark = { active: 0, idle: 0 }
  #isSampled = false
  #seen = { busyMicros: 0, idleMicros: 0 }

  /** @param {() => EventLoopUtilization} eventLoopUtilization */
  constructor (eventLoopUtilization) {
    this.#eventLoopUtilization = eventLoopUtilization
  }

  /** @param {boolean} isSampled  whether the recorder runs from here on */
  setSampled (isSampled) {
    if (isSampled === this.#isSampled) return
    const { activeMs, idleMs } = this.#sinceMark()
    this.#mark = this.#eventLoopUtilization()
    if (isSampled) {
      this.#activeMs += activeMs
      this.#idleMs += idleMs
    }
    this.#isSampled = isSampled
  }

  /** @param {{ busyMicros: number, idleMicros: number }} reading  of all samples since start */
  addSamples ({ busyMicros, idleMicros }) {
    this.#activeMs += (busyMicros - this.#seen.busyMicros) / 1e3
    this.#idleMs += (idleMicros - this.#seen.idleMicros) / 1e3
    this.#seen = { busyMicros, idleMicros }
  }

  /** @returns {EventLoopUtilization} milliseconds */
  read () {
    const { activeMs, idleMs } = this.#isSampled ? { activeMs: 0, idleMs: 0 } : this.#sinceMark()
    const active = this.#activeMs + activeMs
    const idle = this.#idleMs + idleMs
    return { active, idle, utilization: active + idle === 0 ? 0 : active / (active + idle) }
  }

  #sinceMark () {
    const { active, idle } = this.#eventLoopUtilization()
    return { activeMs: active - this.#mark.active, idleMs: idle - this.#mark.idle }
  }
}

module.exports = { createLoopTime }
