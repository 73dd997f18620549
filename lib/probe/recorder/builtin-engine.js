'use strict'

// The engine based on v8.startCpuProfile(): it needs no inspector, so it records under the permission model, in worker threads and beside a debugger.
//
// Where startCpuProfile() accepts an interval (Node 26) it can sample slowly: an open handle keeps V8's code map, so the next one, at the full rate,
// starts in 0.2 ms instead of 26 to 200. A window is text as V8 writes it, parsed by the observer: `stop()` took 0.3 to 4 ms.

const { errors } = require('../../base/errors')
const { monotonicMicros } = require('../../base/monotonic')

/** @import { Engine } from './engines' */

/**
 * @typedef {object} SerializedWindow
 * @property {string} json
 * @property {number} openedMicros  approximate: V8 writes only 32 bits of its times
 * @property {boolean} isSlow  recorded while the process was idle
 */

/** @typedef {{ stop (): string | undefined }} Handle  to be replaced by @types/node's once available */
/** @typedef {{ startCpuProfile?: (options?: { sampleInterval: number }) => Handle }} Profiler */

// Each sample ends a wait for events, and libuv loses how long it had lasted: with a timer every 100 ms, Node's own utilization of an idle loop
// reads 0.05 with a sample every second, and 0.01 with one every five seconds.
const SLOW_MS = 5000
const DEFAULT_INTERVAL_MICROS = 1000 // V8's default

function profilerHere () {
  return /** @type {Profiler} */ (process.getBuiltinModule('node:v8'))
}

function hasBuiltinProfiler () {
  return typeof profilerHere().startCpuProfile === 'function'
}

/** Node.js 24 ignores the options. */
function takesInterval () {
  return Number(profilerHere().startCpuProfile?.length) > 0
}

/** @param {{ hz: number }} options @returns {Engine} @throws ERR_LOOPSCOPE_ENGINE_UNSUPPORTED */
function createBuiltinEngine ({ hz }) {
  if (!hasBuiltinProfiler()) throw new errors.ERR_LOOPSCOPE_ENGINE_UNSUPPORTED('builtin', 'v8.startCpuProfile(), which Node.js has from 24.12 on', process.versions.node)
  return new BuiltinEngine(hz)
}

class BuiltinEngine {
  #hz
  /** @type {{ handle: Handle, openedMicros: number, isSlow: boolean } | undefined} */
  #open

  /** @param {number} hz */
  constructor (hz) {
    this.#hz = hz
  }

  open () {
    this.#open = this.#start(false)
  }

  /** @param {string} title @param {boolean} [isSlow] */
  rotate (title, isSlow = false) {
    const next = this.#start(isSlow)
    const ended = this.close()
    this.#open = next
    return ended
  }

  close () {
    if (this.#open === undefined) return null
    const { handle, ...window } = this.#open
    this.#open = undefined
    const json = handle.stop()
    return json === undefined ? null : { ...window, json }
  }

  /** @param {boolean} isSlow */
  #start (isSlow) {
    const openedMicros = monotonicMicros()
    const intervalMs = isSlow ? SLOW_MS : 1000 / this.#hz
    return { openedMicros, isSlow, handle: takesInterval() ? startAt(intervalMs) : startByFlag(intervalMs) }
  }
}

/** @param {number} sampleInterval */
function startAt (sampleInterval) {
  return /** @type {Required<Profiler>} */ (profilerHere()).startCpuProfile({ sampleInterval })
}

/**
 * V8 reads its default interval when the first of several handles is started. Without the flag it takes a sample every millisecond.
 * @param {number} intervalMs
 */
function startByFlag (intervalMs) {
  const v8 = process.getBuiltinModule('node:v8')
  const setMicros = (/** @type {number} */ micros) => v8.setFlagsFromString(`--cpu-profiler-sampling-interval=${micros}`)
  setMicros(Math.round(intervalMs * 1e3))
  try {
    return /** @type {Required<Profiler>} */ (/** @type {Profiler} */ (v8)).startCpuProfile()
  } finally {
    setMicros(DEFAULT_INTERVAL_MICROS)
  }
}

module.exports = { createBuiltinEngine, hasBuiltinProfiler, takesInterval }
