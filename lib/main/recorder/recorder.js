'use strict'

// The running sampler, main thread's side: it keeps one window open and rotates it. What the windows hold is the
// observer's business.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { preventDeadlock } = require('./cold-start')
const { ENGINES } = require('./engines')

/** @import { EngineName } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Engine } from './engines' */

// A window of a process that does nothing holds next to nothing, and what ending and reading it costs is nearly the same whatever its length.
const IDLE_FACTOR = 4
const MAX_WINDOW_SECONDS = 30 // longer ones V8 may not be able to write out in one piece

// Stalls come in bursts: their reports wait for one rotation together, and rotations never take more of the loop than this.
const MIN_ROTATION_MICROS = 250e3
const CHECK_MICROS = 1e6

/**
 * @typedef {object} PauseReason  why nothing can be recorded for now
 * @property {import('../../shared/base/warnings').WarningCode} code
 * @property {unknown[]} values   of the warning
 * @property {string} reason      for those who ask for a profile meanwhile
 */

/**
 * @param {object} parts
 * @param {number} parts.hz
 * @param {number} parts.windowSeconds
 * @param {EngineName} parts.engine
 * @param {string} parts.titlePrefix
 * @param {(window: CpuProfile) => void} parts.deliver     windows that do not reach the observer by themselves
 * @param {() => PauseReason | null | undefined} parts.pauseReason  asked each time before a profile is begun; undefined: that is not
 *   known yet, and check() is called when it is
 * @param {(pause: PauseReason) => void} parts.onPause
 * @param {() => void} parts.onResume  also after start()
 * @param {() => void} parts.onRotated  a window has ended
 */
function createRecorder (parts) {
  return new Recorder(parts)
}

class Recorder {
  #parts
  /** @type {Engine} */
  #engine
  /** What the recorder is paused for. @type {string | undefined} */
  #pausedBy
  #state = /** @type {'stopped' | 'running' | 'paused'} */ ('stopped')
  #sequence = 0
  #rotatedMicros = 0
  #checkedMicros = 0
  #wanted = false
  #overheadMicros = 0

  /** @param {Parameters<typeof createRecorder>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#engine = ENGINES[parts.engine].create({ hz: parts.hz })
  }

  get running () { return this.#state === 'running' }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }

  start () {
    if (this.#state !== 'stopped') return
    this.#state = 'paused'
    this.tick(monotonicMicros())
  }

  stop () {
    if (this.#state === 'running') this.#timed(() => this.#engine.close())
    this.#state = 'stopped'
    // Who starts it again need not wait for the next check, and is told anew.
    this.#checkedMicros = 0
    this.#pausedBy = undefined
  }

  /**
   * To be called by the heartbeat: everything that is due at this moment.
   * @param {number} micros
   * @param {boolean} [isIdle]  nothing happens in the process
   * @returns {boolean} whether the profiler was started from cold, which can block for tens of milliseconds
   */
  tick (micros, isIdle = false) {
    if (this.#state === 'stopped') return false
    if (micros - this.#checkedMicros >= CHECK_MICROS && this.check(micros)) return true
    const age = micros - this.#rotatedMicros
    if (age >= this.#windowSeconds(isIdle) * 1e6 || (this.#wanted && age >= MIN_ROTATION_MICROS)) this.rotate()
    return false
  }

  /** @param {boolean} isIdle */
  #windowSeconds (isIdle) {
    const { windowSeconds } = this.#parts
    return isIdle ? Math.min(windowSeconds * IDLE_FACTOR, MAX_WINDOW_SECONDS) : windowSeconds
  }

  /**
   * Whether it can record now: to be called when that may have changed.
   * @param {number} micros
   * @returns {boolean} as tick()
   */
  check (micros) {
    if (this.#state === 'stopped') return false
    this.#checkedMicros = micros
    const pause = this.#parts.pauseReason()
    if (pause) this.#pause(pause)
    else if (pause === null && this.#state === 'paused') return this.#resume()
    return false
  }

  /** Has the current window end soon: with this tick or one of the next. */
  rotateSoon () {
    this.#wanted = true
  }

  /** Ends the current window now, or as soon as another one may begin. */
  rotate () {
    if (this.#state !== 'running') return
    if (this.#parts.pauseReason() !== null) return this.rotateSoon()
    this.#timed(() => this.#engine.rotate(this.#nextTitle()))
    this.#rotatedMicros = monotonicMicros()
    this.#wanted = false
    this.#parts.onRotated()
  }

  /** @param {PauseReason} pause */
  #pause (pause) {
    if (pause.reason !== this.#pausedBy) this.#parts.onPause(pause)
    this.#pausedBy = pause.reason
    if (this.#state === 'running') this.#timed(() => this.#engine.close())
    this.#state = 'paused'
  }

  #resume () {
    this.#timed(() => {
      preventDeadlock()
      this.#engine.open(this.#nextTitle())
      return null
    })
    this.#rotatedMicros = monotonicMicros()
    this.#state = 'running'
    this.#pausedBy = undefined
    this.#parts.onResume()
    return true
  }

  #nextTitle () {
    return `${this.#parts.titlePrefix}${++this.#sequence}`
  }

  /** @param {() => CpuProfile | null} work */
  #timed (work) {
    const from = monotonicMicros()
    const window = work()
    this.#overheadMicros += monotonicMicros() - from
    if (window !== null) this.#parts.deliver(window)
  }
}

module.exports = { createRecorder }
