'use strict'

// Cuts views from the recorder's windows, of past and future time: waits until the requested time has passed, has the open window ended, and
// cuts; with the worker threads if requested. It runs in the observer thread.

const { setTimeout: sleep } = require('node:timers/promises')
const { errors } = require('../../base/errors')
const { monotonicMicros, toEpochMs } = require('../../base/monotonic')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { ThreadRecording } from '../threads/thread-recorder' */

// How long a view waits for a main thread that cannot end its window because it is in a native call or gets no CPU time. Then it takes what
// there is.
const MAX_WAIT_MS = 5000
// If less than this is missing at either end, that is the sampling interval and not a shortened view.
const GRAIN_MICROS = 250e3
const MAIN = 'main thread'

/**
 * @typedef {object} View
 * @property {CpuProfile} profile
 * @property {number} fromMicros  start of the covered time
 * @property {number} toMicros
 * @property {boolean} isShortened  the recorder has less than requested
 * @property {string[]} [notes]  what else is missing
 */

/**
 * @typedef {{ fromMicros: number, toMicros: number, threads?: boolean }} Wanted  threads: with the worker threads, recorded from now on whatever fromMicros is
 * @typedef {(wanted: Wanted, signal?: AbortSignal, stop?: AbortSignal) => Promise<View>} TakeView
 */

/**
 * @param {object} parts
 * @param {import('./history').History} parts.history
 * @param {number} parts.keepSeconds
 * @param {() => void} parts.rotate  makes the main thread end its window as soon as possible
 * @param {(profile: CpuProfile) => Promise<CpuProfile>} [parts.label]  adds the routes of the samples
 * @param {() => string | null} parts.offReason  why there are no windows to cut from, null if there are
 * @param {number} [parts.maxWaitMs]
 * @param {number} [parts.maxPastWaitMs]  the same, for views of the past that are already recorded in part
 */
function createViews ({ history, keepSeconds, rotate, offReason, label = async profile => profile, maxWaitMs = MAX_WAIT_MS, maxPastWaitMs = maxWaitMs }) {
  /**
   * @param {{ fromMicros: number, toMicros: number }} wanted  toMicros may be in the future
   * @param {AbortSignal} [signal]  cancels the view
   * @param {AbortSignal} [stop]    ends it now, with what was recorded until then
   * @returns {Promise<View>}
   */
  async function view (wanted, signal, stop) {
    const reason = offReason()
    if (reason !== null) throw new errors.ERR_LOOPSCOPE_RECORDER_OFF(reason)
    const unpin = history.pin(wanted.fromMicros)
    const isPast = wanted.toMicros <= monotonicMicros()
    try {
      await sleepUntil(wanted.toMicros, signal, stop)
      const toMicros = stop?.aborted ? Math.min(wanted.toMicros, Math.round(monotonicMicros())) : wanted.toMicros
      rotate()
      const isSomethingThere = history.toMicros > wanted.fromMicros
      await history.waitFor(toMicros, isPast && isSomethingThere ? maxPastWaitMs : maxWaitMs)
      signal?.throwIfAborted()
      const view = cut(wanted.fromMicros, toMicros)
      return { ...view, profile: await label(view.profile) }
    } finally {
      unpin()
    }
  }

  /** @param {number} fromMicros @param {number} toMicros @returns {View} */
  function cut (fromMicros, toMicros) {
    const profile = history.view(fromMicros, toMicros)
    if (profile === null || profile.samples.length === 0) {
      const time = (/** @type {number} */ micros) => Number.isFinite(micros) ? new Date(toEpochMs(micros)).toISOString() : 'no time yet'
      throw new errors.ERR_LOOPSCOPE_EMPTY_VIEW(time(fromMicros), time(toMicros), keepSeconds, time(history.fromMicros))
    }
    const isShortened = profile.startTime - fromMicros > GRAIN_MICROS || toMicros - profile.endTime > GRAIN_MICROS
    return { profile, fromMicros: profile.startTime, toMicros: profile.endTime, isShortened }
  }

  return { view }
}

/**
 * Timers drop fractions of a millisecond and fire early: a window that ends then would not reach the requested moment, and the view would wait
 * for the next window.
 * @param {number} micros
 * @param {AbortSignal} [signal]
 * @param {AbortSignal} [stop]
 */
async function sleepUntil (micros, signal, stop) {
  for (let waitMs = msUntil(micros); waitMs > 0 && !stop?.aborted; waitMs = msUntil(micros)) await sleepUnless(Math.ceil(waitMs), signal, stop)
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]  rejects with its reason
 * @param {AbortSignal} [stop]    ends it early
 */
async function sleepUnless (ms, signal, stop) {
  const ends = [signal, stop].filter(end => end !== undefined)
  await sleep(ms, undefined, { signal: AbortSignal.any(ends) }).catch(() => {})
  signal?.throwIfAborted()
}

/** @param {number} micros */
function msUntil (micros) {
  return (micros - monotonicMicros()) / 1e3
}

/**
 * The same views, with the worker threads if requested: one profile in which each sample names its thread.
 * @param {{ view: TakeView }} views
 * @param {{ record (ms: number, signal?: AbortSignal, stop?: AbortSignal): Promise<ThreadRecording> }} threads
 * @returns {{ view: TakeView }}
 */
function withThreads (views, threads) {
  /** @type {TakeView} */
  async function view (wanted, signal, stop) {
    if (!wanted.threads) return views.view(wanted, signal, stop)
    const failed = new AbortController() // one part without the other is useless
    const until = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
    /** @type {{ error: unknown } | undefined} */
    let first
    const both = [threads.record((wanted.toMicros - monotonicMicros()) / 1e3, until, stop), views.view(wanted, until, stop)]
    for (const one of both) {
      one.catch(error => {
        first ??= { error } // the other part only failed because it was cancelled
        failed.abort()
      })
    }
    await Promise.allSettled(both)
    if (first !== undefined) throw first.error
    const [recording, main] = /** @type {[ThreadRecording, View]} */ (await Promise.all(both))
    return merged(main, recording)
  }
  return { view }
}

/** @param {View} main @param {ThreadRecording} recording @returns {View} */
function merged (main, { profiles, notes }) {
  const parts = [{ process: MAIN, profile: main.profile }, ...profiles.map(({ name, profile }) => ({ process: name, profile }))]
  const none = profiles.length === 0 && notes.length === 0 ? ['there are no worker threads'] : []
  const { mergeProfiles } = require('../../formats/merge-profiles')
  return { ...main, profile: mergeProfiles(parts, { of: 'thread' }), notes: [...notes, ...none] }
}

module.exports = { createViews, sleepUnless, withThreads }
