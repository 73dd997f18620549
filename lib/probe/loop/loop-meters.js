'use strict'

// The measurements of the loop on its own thread: how late it was, how long its turns took, how busy it was.

const { monitorEventLoopDelay } = require('node:perf_hooks')
const { DelayHistogram } = require('./delay-histogram')
const { LoopTime, Utilization } = require('./utilization')
const { guarded } = require('../../base/guard')
const { clearImmediate, clearInterval, setImmediate, setInterval } = require('../../base/timers')

/** @import { DelaySummary } from '../../../types/diagnostics' */
/** @import { SharedState } from '../../link/shared-state' */

/** @typedef {ReturnType<typeof monitorEventLoopDelay>} Sampler */

const NOTE_EVERY_MICROS = 1e6
const NS_PER_MS = 1e6
// As in delay-histogram.js: a maximum stays visible for 30 to 60 s, however often it is read.
const SLOT_MS = 30_000

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
    this.utilization = new Utilization({ eventLoopUtilization: () => this.time.read() })
    this.delay = new DelayHistogram({ periodMs })
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

/** Each enabled sampler costs 0.2 to 0.3 µs per turn of the loop, measured. */
function createIterations () {
  const sinceStart = createSampler()
  return new Iterations(sinceStart, sinceStart && createSampler())
}

/**
 * A Node without the option ignores it and would sample with a timer; one with the option reads it.
 * @returns {Sampler | null}
 */
function createSampler () {
  let isKnown = false
  const options = {
    get samplePerIteration () {
      isKnown = true
      return true
    }
  }
  const sampler = monitorEventLoopDelay(options)
  // A monitor that was never enabled holds a libuv handle that counts as active. If process._getActiveHandles() (prom-client's default metrics call
  // it) runs just after the monitor was garbage-collected, Node 20 to 26 abort the process. Enabling it once removes the handle from that list for
  // good.
  sampler.enable()
  sampler.disable()
  return isKnown ? sampler : null
}

/**
 * How long every single turn of the loop took, sampled by Node itself in C++ (monitorEventLoopDelay with samplePerIteration, nodejs/node#62935; 24.16
 * and 26.5). It covers the many short turns between two ticks of the heartbeat; it has no timestamps and no causes. Where Node has no such
 * sampling the class reads null.
 *
 * What a sample is, measured on 24.21 and 26.10: the time from the end of one poll for I/O to the end of the next (uv_check_t to uv_check_t), minus
 * the waiting, where "waiting" is assumed to be the time until the next timer was due. So
 * - work in timers, immediates and microtasks counts in full;
 * - work in an I/O callback counts only beyond the time until the next timer: a 100 ms block reads as 50 ms when a timer is due in
 *   50 ms, as nothing when none is due within 100 ms;
 * - without any timer a long wait may be counted as work.
 * The heartbeat's timer bounds both errors to its period, so run this beside it and read it as "at least" for I/O callbacks.
 */
class Iterations {
  #sinceStart
  #slot
  #previousSlotMaxMs = 0
  /** @type {NodeJS.Immediate | undefined} */
  #enabling
  /** @type {NodeJS.Timeout | undefined} */
  #slotTimer
  #running = false

  /**
   * Two samplers, because Node's histogram can reset its maximum only together with everything else.
   * @param {Sampler | null} sinceStart
   * @param {Sampler | null} slot
   */
  constructor (sinceStart, slot) {
    this.#sinceStart = sinceStart
    this.#slot = slot
  }

  get running () { return this.#running }

  start () {
    if (this.#running) return
    this.#running = true
    if (this.#sinceStart === null) return
    // If it is enabled before the loop turns, the first sample is the whole first wait: 300 ms on an idle loop.
    this.#enabling = setImmediate(guarded(() => {
      this.#sinceStart?.enable()
      this.#slot?.enable()
    })).unref()
    this.#slotTimer = setInterval(guarded(() => this.#turnSlots()), SLOT_MS).unref()
  }

  stop () {
    this.#running = false
    clearImmediate(this.#enabling)
    clearInterval(this.#slotTimer)
    this.#sinceStart?.disable()
    this.#slot?.disable()
  }

  #turnSlots () {
    this.#previousSlotMaxMs = this.#slotMaxMs
    this.#slot?.reset()
  }

  get #slotMaxMs () { return (this.#slot?.max ?? 0) / NS_PER_MS }

  /** Of the last 30 to 60 s; 0 where Node has no such sampling. */
  get recentMaxMs () { return Math.max(this.#slotMaxMs, this.#previousSlotMaxMs) }

  /** @returns {DelaySummary['iterations']} since start; null where Node has no such sampling */
  read () {
    const sampler = this.#sinceStart
    if (sampler === null) return null
    return {
      count: sampler.count,
      p50Ms: sampler.percentile(50) / NS_PER_MS,
      p90Ms: sampler.percentile(90) / NS_PER_MS,
      p99Ms: sampler.percentile(99) / NS_PER_MS,
      maxMs: sampler.max / NS_PER_MS
    }
  }
}

module.exports = { createIterations, LoopMeters }
