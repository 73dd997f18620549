'use strict'

// When the observer has its inspector session with the main thread, and when not. A pause of a debugger lasts as long as a
// session of another thread is connected, and ours is one: so it is let go of as soon as the main thread stands in a pause,
// and taken up when that has gone on. Where nothing is recorded it is opened for the first who needs it.

const { setTimeout: sleep } = require('node:timers/promises')
const { errors } = require('../../shared/base/errors')
const { guarded } = require('../../shared/base/guard')
const { monotonicMs } = require('../../shared/base/monotonic')

/** @import { SharedState } from '../../bridge/shared-state' */
/** @typedef {ReturnType<typeof import('./inspector-session').createProfilerSession>} ProfilerSession */

// A process that debugs itself does it again: each time the session is away for twice as long.
const FIRST_AWAY_MS = 1000
const MAX_AWAY_MS = 60_000
const LOOK_MS = 50

/**
 * @param {object} parts
 * @param {SharedState} parts.state
 * @param {ProfilerSession} parts.session
 * @param {() => void} parts.onAway   it was let go of
 * @param {() => void} parts.onBack   and taken up again
 * @param {number} [parts.firstAwayMs]
 */
function createSessionKeeper (parts) {
  return new SessionKeeper(parts)
}

class SessionKeeper {
  #parts
  /** @type {Promise<void> | undefined} */
  #opening
  #isAway = false
  #awayMs
  #backAt = -Infinity
  /** The last tick before it was let go of. */
  #tickMicros = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {Parameters<typeof createSessionKeeper>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#awayMs = parts.firstAwayMs ?? FIRST_AWAY_MS
  }

  /**
   * @returns {Promise<void>} rejects when there is no inspector, or when the process is ending
   */
  open () {
    this.#opening ??= this.#open().catch(error => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #open () {
    const { state, session } = this.#parts
    if (!state.claimSession()) throw new Error('the process is ending')
    try {
      await session.open()
    } catch (error) {
      state.confirmReleased()
      throw error
    }
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<any>}
   * @throws ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE
   */
  async post (method, params) {
    await this.open().catch(() => { throw new errors.ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE(method) })
    return this.#parts.session.post(method, params)
  }

  /**
   * To be called when the main thread seems stuck: what holds it, now or in a while, may be a pause, which ends only without us.
   * @param {() => boolean} isStuck
   */
  async yieldToPauses (isStuck) {
    while (isStuck() && this.#opening !== undefined) {
      if (await this.#parts.session.isPaused()) return this.letGo()
      await sleep(LOOK_MS)
    }
  }

  letGo () {
    if (this.#opening === undefined) return
    this.#tickMicros = this.#parts.state.tickMicros
    this.close()
    if (!this.#isAway) this.#parts.onAway()
    this.#isAway = true
    const wasShort = monotonicMs() - this.#backAt < MAX_AWAY_MS
    this.#awayMs = wasShort ? Math.min(this.#awayMs * 2, MAX_AWAY_MS) : this.#parts.firstAwayMs ?? FIRST_AWAY_MS
    this.#takeUpLater()
  }

  #takeUpLater () {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(guarded(() => this.#takeUp().catch(() => this.#takeUpLater())), this.#awayMs)
  }

  async #takeUp () {
    if (this.#parts.state.tickMicros === this.#tickMicros) return this.#takeUpLater() // it still stands there
    await this.open()
    this.#isAway = false
    this.#backAt = monotonicMs()
    this.#parts.onBack()
  }

  /** For good, unless somebody opens it again. */
  close () {
    clearTimeout(this.#timer)
    this.#opening = undefined
    this.#parts.session.close()
    this.#parts.state.confirmReleased()
  }
}

module.exports = { createSessionKeeper }
