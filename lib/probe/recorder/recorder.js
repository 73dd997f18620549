'use strict'

// The continuous sampler on the main thread: it keeps one window open and rotates it, and samples slowly while the process is idle, where the engine
// can. The observer evaluates the windows.

const { monotonicMicros } = require('../../base/monotonic')
const { ENGINES } = require('./engines')
const { NextCallback } = require('../process/next-callback')

/** @import { EndedWindow, Engine, RealEngine } from './engines' */

// A window of an idle process is almost empty, and ending and reading it costs nearly the same whatever its length.
const IDLE_FACTOR = 4
const MAX_WINDOW_SECONDS = 30 // V8 may fail to write longer ones in one piece

// Stalls come in bursts: their reports share one rotation, and rotations never take more of the loop than this.
const MIN_ROTATION_MICROS = 250e3
const CHECK_MICROS = 1e6

// Switching from slow to fast and back costs about 2.5 ms over all threads, and a second at 100 samples 5 to 8 ms: so the full rate is kept for a
// moment, and longer each time while the slow periods between are too short to be worth it.
const FIRST_FAST_MICROS = 200e3
const MAX_FAST_MICROS = 10e6
const WORTH_SLOW_MICROS = 400e3

// The first Node 22 whose profiler has a recursive lock, as Node 24 and 26 do.
const MENDED_22 = [23, 3]

/**
 * @typedef {object} PauseReason  why nothing can be recorded for now
 * @property {import('../../base/warnings').WarningCode} code
 * @property {unknown[]} values   of the warning
 * @property {string} reason      for callers that request a profile meanwhile
 */

/**
 * @typedef {object} RecorderParts
 * @property {number} hz
 * @property {number} windowSeconds
 * @property {readonly RealEngine[]} engines  the first that can record is used
 * @property {string} titlePrefix
 * @property {(window: EndedWindow) => void} deliver     for windows that do not reach the observer through its session
 * @property {(engine: RealEngine) => PauseReason | null | undefined} pauseReason  called each time before a profile is started; undefined: not
 *   available yet, and check() is called when it is
 * @property {(pause: PauseReason) => void} onPause
 * @property {() => void} onResume  also after start(), and after a change of engine
 * @property {() => void} onRotated  a window has ended
 */

class Recorder {
  #parts
  /** @type {{ name: RealEngine, engine: Engine, canSlow: boolean }[]} */
  #engines
  /** The one that records or recorded last. */
  #current
  /** Why the recorder is paused. @type {string | undefined} */
  #pausedBy
  #state = /** @type {'stopped' | 'running' | 'paused'} */ ('stopped')
  #sequence = 0
  #rotatedMicros = 0
  #checkedMicros = 0
  #wanted = false
  #overheadMicros = 0
  #isSlow = false
  /** Time of the last rate change. */
  #paceMicros = 0
  /** How long the full rate is kept. */
  #fastMicros = FIRST_FAST_MICROS
  #nextCallback = new NextCallback(() => this.sampleFast())

  /** @param {RecorderParts} parts @throws ERR_LOOPSCOPE_ENGINE_MISSING, ERR_LOOPSCOPE_ENGINE_UNSUPPORTED */
  constructor (parts) {
    this.#parts = parts
    this.#engines = parts.engines.map(name => ({ name, engine: ENGINES[name].create({ hz: parts.hz }), canSlow: ENGINES[name].canSlow() }))
    this.#current = this.#engines[0]
  }

  get running () { return this.#state === 'running' }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }
  /** Whether it samples slowly, because the process is idle. */
  get isSlow () { return this.#isSlow }

  /** @param {number} micros */
  hasBeenSlowSince (micros) {
    return this.#isSlow && this.#paceMicros <= micros
  }

  start () {
    if (this.#state !== 'stopped') return
    this.#state = 'paused'
    this.tick(monotonicMicros())
  }

  stop () {
    if (this.#state === 'running') this.#timed(() => this.#current.engine.close())
    this.#state = 'stopped'
    this.#setPace(false)
    // After a restart there is no wait for the next check, and the pause is reported again.
    this.#checkedMicros = 0
    this.#pausedBy = undefined
  }

  /**
   * Called by the heartbeat: does everything that is due now.
   * @param {number} micros
   * @param {boolean} [isIdle]  the process is idle
   * @returns {boolean} whether the profiler was started from cold, which can block for tens of milliseconds
   */
  tick (micros, isIdle = false) {
    if (this.#state === 'stopped') return false
    if (micros - this.#checkedMicros >= CHECK_MICROS && this.check(micros)) return true
    const age = micros - this.#rotatedMicros
    const isSlow = this.#isSlow ? isIdle : isIdle && this.#current.canSlow && micros - this.#paceMicros >= this.#fastMicros
    const isDue = age >= this.#windowSeconds(isIdle) * 1e6 || (this.#wanted && age >= MIN_ROTATION_MICROS)
    if (isDue || isSlow !== this.#isSlow) this.rotate(isSlow)
    return false
  }

  /** @param {boolean} isIdle */
  #windowSeconds (isIdle) {
    const { windowSeconds } = this.#parts
    return isIdle ? Math.min(windowSeconds * IDLE_FACTOR, MAX_WINDOW_SECONDS) : windowSeconds
  }

  /**
   * Whether it can record now, and with which engine. Call it when that may have changed.
   * @param {number} micros
   * @returns {boolean} as tick()
   */
  check (micros) {
    if (this.#state === 'stopped') return false
    this.#checkedMicros = micros
    /** @type {PauseReason | undefined} */
    let first
    for (const each of this.#engines) {
      const pause = this.#parts.pauseReason(each.name)
      if (pause === undefined) return false
      if (pause === null) return (this.#state === 'paused' || each !== this.#current) && this.#resume(each)
      first ??= pause
    }
    if (first !== undefined) this.#pause(first)
    return false
  }

  /** Makes the current window end soon: with this tick or one of the next. */
  rotateSoon () {
    this.#wanted = true
  }

  /**
   * Ends the current window now, or as soon as another rotation is allowed.
   * @param {boolean} [isSlow]  whether the next one samples slowly
   */
  rotate (isSlow = this.#isSlow) {
    if (this.#state !== 'running') return
    if (this.#parts.pauseReason(this.#current.name) !== null) return this.rotateSoon()
    this.#timed(() => this.#current.engine.rotate(this.#nextTitle(), isSlow))
    this.#rotatedMicros = monotonicMicros()
    this.#wanted = false
    this.#setPace(isSlow)
    this.#parts.onRotated()
  }

  /** There is activity: samples at the full rate from now on. It costs nothing if that is already so. */
  sampleFast () {
    if (this.#isSlow) this.rotate(false)
  }

  /** @param {boolean} isSlow */
  #setPace (isSlow) {
    if (isSlow === this.#isSlow) return
    const now = monotonicMicros()
    if (!isSlow) {
      const wasWorthIt = now - this.#paceMicros >= WORTH_SLOW_MICROS
      this.#fastMicros = wasWorthIt ? FIRST_FAST_MICROS : Math.min(this.#fastMicros * 2, MAX_FAST_MICROS)
    }
    this.#paceMicros = now
    this.#isSlow = isSlow
    if (isSlow) this.#nextCallback.arm()
    else this.#nextCallback.disarm()
  }

  /** @param {PauseReason} pause */
  #pause (pause) {
    if (pause.reason !== this.#pausedBy) this.#parts.onPause(pause)
    this.#pausedBy = pause.reason
    if (this.#state === 'running') this.#timed(() => this.#current.engine.close())
    this.#state = 'paused'
    this.#setPace(false)
  }

  /** @param {{ name: RealEngine, engine: Engine, canSlow: boolean }} next */
  #resume (next) {
    this.#timed(() => {
      const ended = this.#state === 'running' ? this.#current.engine.close() : null
      preventDeadlock()
      next.engine.open(this.#nextTitle())
      return ended
    })
    this.#current = next
    this.#rotatedMicros = monotonicMicros()
    this.#state = 'running'
    this.#pausedBy = undefined
    this.#setPace(false)
    this.#parts.onResume()
    return true
  }

  #nextTitle () {
    return `${this.#parts.titlePrefix}${++this.#sequence}`
  }

  /** @param {() => EndedWindow | null} work */
  #timed (work) {
    const from = monotonicMicros()
    const window = work()
    this.#overheadMicros += monotonicMicros() - from
    if (window !== null) this.#parts.deliver(window)
  }
}

/**
 * Reduces the risk of a deadlock before a cold start of V8's profiler. Node 20, and Node 22 before 22.23.3, can deadlock there (nodejs/node#65140):
 * the start walks all code under a lock that is not recursive, an allocation of the walk starts a garbage collection, and the collection takes the
 * same lock. On 22 only a collection that moves code deadlocks: the flag prevents those (test/stress/profiler-start.js shows it).
 *
 * A collection just before leaves the walk megabytes to allocate until the next one is due. Without it a process that had filled buffers while it
 * started hung in 7 of 120 starts on Node 20. It took 3 to 11 ms for heaps of 3 and 18 MB, plus 1 to 2 ms for the context that exposes V8's own
 * function for it.
 *
 * What this cannot prevent: a walk that itself allocates enough to make a whole collection due. It needs hundreds of
 * megabytes of scripts loaded before the first start; the recorder therefore starts early and never drops to zero profiles.
 */
function preventDeadlock (version = process.versions.node) {
  if (!canDeadlock(version)) return
  const v8 = process.getBuiltinModule('node:v8')
  if (version.startsWith('22.')) v8.setFlagsFromString('--no-compact-code-space')
  collectGarbage(v8)
}

/** @param {string} version */
function canDeadlock (version) {
  const [major, minor, patch] = version.split('.').map(Number)
  const [mendedMinor, mendedPatch] = MENDED_22
  return major < 22 || (major === 22 && (minor < mendedMinor || (minor === mendedMinor && patch < mendedPatch)))
}

/**
 * Collects at once: HeapProfiler.collectGarbage postpones it until the loop turns.
 * @param {typeof import('node:v8')} v8
 */
function collectGarbage (v8) {
  const isExposed = typeof globalThis.gc === 'function'
  v8.setFlagsFromString('--expose-gc')
  process.getBuiltinModule('node:vm').runInNewContext('gc')()
  if (!isExposed) v8.setFlagsFromString('--no-expose-gc')
}

module.exports = { Recorder, canDeadlock, preventDeadlock }
