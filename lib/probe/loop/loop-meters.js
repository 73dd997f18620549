'use strict'

// The measurements of the loop on its own thread: how late it was, how long its turns took, how busy it was.

const { createDelayHistogram } = require('./delay-histogram')
const { createIterations } = require('./iterations')
const { LoopTime, createUtilization } = require('./utilization')

/** @import { DelaySummary } from '../../../types/diagnostics' */
/** @import { SharedState } from '../../link/shared-state' */

const NOTE_EVERY_MICROS = 1e6

class LoopMeters {
  #state
  #notedMicros = 0
  delay
  iterations = createIterations()
  time
  utilization

  /**
   * @param {object} parts
   * @param {number} parts.periodMs  of the heartbeat
   * @param {Pick<SharedState, 'sampledTime' | 'utilization'>} parts.state
   */
  constructor ({ periodMs, state }) {
    this.#state = state
    this.time = new LoopTime({ sampledTime: () => state.sampledTime })
    this.utilization = createUtilization({ eventLoopUtilization: () => this.time.read() })
    this.delay = createDelayHistogram({ periodMs })
  }

  start () {
    this.iterations.start()
    this.utilization.start()
  }

  stop () {
    this.utilization.stop()
    this.iterations.stop()
  }

  /**
   * @param {number} delayMs  of a tick
   * @param {number} periods  fast ticks that it stands for
   * @param {number} micros   when it came
   */
  record (delayMs, periods, micros) {
    this.delay.record(delayMs)
    // A slow tick stands for fast ones that would have been on time.
    if (periods > 1) this.delay.addOnTime(periods - 1)
    if (micros - this.#notedMicros < NOTE_EVERY_MICROS) return
    this.#notedMicros = micros
    this.#state.utilization = this.utilization.read().utilization
  }

  /** @returns {DelaySummary} all figures of the delay, for display */
  summary () {
    const { count, sum } = this.delay.read()
    return {
      count,
      meanMs: count === 0 ? 0 : sum * 1e3 / count,
      p50Ms: this.delay.quantileMs(0.5),
      p90Ms: this.delay.quantileMs(0.9),
      p99Ms: this.delay.quantileMs(0.99),
      maxMs: this.delay.maxMs,
      recentMaxMs: this.delay.recentMaxMs,
      utilization: this.utilization.read().utilization,
      iterations: this.iterations.read()
    }
  }
}

module.exports = { LoopMeters }
