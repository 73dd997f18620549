'use strict'

// The process's cached clock, created on first use, since renewing it costs a timer in the observer; and the list of clocks that the observer
// renews (the other end is `ClockRenewer` of shared/clock.js).

const { createClock } = require('../shared/clock')

/** @import { Ask } from '../link/channel' */
/** @import { Keeper } from '../shared/clock' */

/**
 * @param {object} parts
 * @param {Keeper} parts.keeper  makes the observer renew a clock
 */
function createProcessClock ({ keeper }) {
  /** @type {ReturnType<typeof createClock> | undefined} */
  let clock
  return {
    keeper,
    get clock () {
      clock ??= createClock({ keeper })
      return clock
    },
    get clockIfUsed () { return clock },
    stop () {
      clock?.stop()
    }
  }
}

/** @param {{ ready: Promise<unknown>, readonly running: boolean, ask: Ask }} observer */
function createClockRenewals (observer) {
  let sequence = 0
  /** The renewal of each clock. @type {Map<number, () => void>} */
  const wanted = new Map()
  /** For the clocks being renewed. @type {Map<number, () => void>} */
  const lossListeners = new Map()

  /** @type {Keeper} */
  function keep (buffer, resolutionMs, listeners) {
    const clock = ++sequence
    const begin = async () => {
      await observer.ready
      if (!wanted.has(clock)) return
      await observer.ask('renewClock', { clock, renewal: { buffer, resolutionMs } })
      if (!wanted.has(clock)) return
      // The last replies of a thread that ends are read in the turn in which its end is reported.
      if (!observer.running) throw new Error('the observer has ended')
      lossListeners.set(clock, listeners.onLost)
      listeners.onKept()
    }
    // Where the observer is not running (already warned about), the clock uses a timer.
    const beginQuietly = () => { begin().catch(() => { if (wanted.has(clock)) listeners.onLost() }) }
    wanted.set(clock, beginQuietly)
    beginQuietly()
    return () => {
      wanted.delete(clock)
      lossListeners.delete(clock)
      observer.ask('renewClock', { clock, renewal: null }).catch(() => {}) // otherwise it is gone, and its timer with it
    }
  }

  /** Call it when the observer has ended. */
  function onLost () {
    for (const tell of lossListeners.values()) tell()
    lossListeners.clear()
  }

  /** Call it after an observer restart. */
  function resume () {
    for (const begin of wanted.values()) begin()
  }

  return { keep, onLost, resume }
}

module.exports = { createClockRenewals, createProcessClock }
