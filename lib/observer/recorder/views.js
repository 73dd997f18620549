'use strict'

// Views of the recorder's windows, backward and forward: waits until what was asked for has happened, has the open window
// ended, and cuts. It lives in the observer thread.

const { setTimeout: sleep } = require('node:timers/promises')
const { monotonicMicros, toEpochMs } = require('../../shared/base/monotonic')
const { errors } = require('../../shared/base/errors')

/** @import { CpuProfile } from '../../../types/profile' */

// How long a view waits for a main thread that cannot end its window: it is in a native call, or gets no processor. Then it
// takes what is there.
const MAX_WAIT_MS = 5000
// Less than this missing at either end is the sampler's own grain, not a shortened view.
const GRAIN_MICROS = 250e3

/**
 * @typedef {object} View
 * @property {CpuProfile} profile
 * @property {number} fromMicros  what it covers
 * @property {number} toMicros
 * @property {boolean} isShortened  the recorder held less than what was asked for
 * @property {string[]} [notes]  what else is missing in it
 */

/**
 * @param {object} parts
 * @param {import('./history').History} parts.history
 * @param {number} parts.keepSeconds
 * @param {() => void} parts.rotate  has the main thread end its window as soon as it can
 * @param {(profile: CpuProfile) => Promise<CpuProfile>} [parts.label]  gives its samples their routes
 * @param {() => string | null} parts.offReason  why there is nothing to cut from, null when there is
 * @param {number} [parts.maxWaitMs]
 * @param {number} [parts.maxPastWaitMs]  the same, for views of the past of which something is there already
 */
function createViews ({ history, keepSeconds, rotate, offReason, label = async profile => profile, maxWaitMs = MAX_WAIT_MS, maxPastWaitMs = maxWaitMs }) {
  /**
   * @param {{ fromMicros: number, toMicros: number }} wanted  toMicros may lie ahead
   * @param {AbortSignal} [signal]  gives the view up
   * @param {AbortSignal} [stop]    ends it now: what has happened until then is the view
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

  /**
   * @param {number} fromMicros
   * @param {number} toMicros
   * @returns {View}
   */
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
 * Timers drop fractions of a millisecond and fire early: a window ended then would not reach to the moment that was asked
 * for, and the view would wait for the next one.
 * @param {number} micros
 * @param {AbortSignal} [signal]
 * @param {AbortSignal} [stop]
 */
async function sleepUntil (micros, signal, stop) {
  const ends = [signal, stop].filter(end => end !== undefined)
  for (let waitMs = msUntil(micros); waitMs > 0 && !stop?.aborted; waitMs = msUntil(micros)) {
    await sleep(Math.ceil(waitMs), undefined, { signal: AbortSignal.any(ends) }).catch(error => {
      if (!stop?.aborted || signal?.aborted) throw error
    })
  }
}

/** @param {number} micros */
function msUntil (micros) {
  return (micros - monotonicMicros()) / 1e3
}

module.exports = { createViews }
