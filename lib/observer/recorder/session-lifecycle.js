'use strict'

// Decides when the observer's inspector session with the main thread is connected. A debugger's pause lasts as long as a session of another
// thread is connected, such as this one. So it disconnects as soon as a debugger has paused the main thread, and connects again when the
// main thread continues. If nothing is recorded, the first use opens it.

const { setTimeout: sleep } = require('node:timers/promises')
const { errors } = require('../../base/errors')
const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @import { SharedState } from '../../link/shared-state' */
/** @import { InspectorSession } from './inspector-session' */

// A process that debugs itself pauses again and again: each time the session stays away twice as long.
const FIRST_AWAY_MS = 1000
const MAX_AWAY_MS = 60_000
const CHECK_EVERY_MS = 50

class SessionLifecycle {
  #parts
  /** @type {Promise<void> | undefined} */
  #opening
  #isAway = false
  #awayMs = FIRST_AWAY_MS
  #reconnectedAt = -Infinity
  /** The last tick before the session was disconnected. */
  #tickMicros = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {SharedState} parts.state
   * @param {InspectorSession} parts.session
   * @param {() => void} parts.onDisconnected  the session is away for a while
   * @param {() => void} parts.onReconnected
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @returns {Promise<void>} rejects when there is no inspector, or when the process is ending */
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
   * Called when the main thread seems stuck: the reason, now or later, may be a debugger's pause, which ends only without this session.
   * @param {() => boolean} isStuck
   */
  async disconnectOnPause (isStuck) {
    while (isStuck() && this.#opening !== undefined) {
      if (await this.#parts.session.isPaused()) return this.disconnect()
      await sleep(CHECK_EVERY_MS)
    }
  }

  /** Disconnects until the main thread continues. */
  disconnect () {
    if (this.#opening === undefined) return
    this.#tickMicros = this.#parts.state.tickMicros
    this.close()
    if (!this.#isAway) this.#parts.onDisconnected()
    this.#isAway = true
    const wasShort = monotonicMs() - this.#reconnectedAt < MAX_AWAY_MS
    this.#awayMs = wasShort ? Math.min(this.#awayMs * 2, MAX_AWAY_MS) : FIRST_AWAY_MS
    this.#reconnectLater()
  }

  #reconnectLater () {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(guarded(() => this.#reconnect().catch(() => this.#reconnectLater())), this.#awayMs)
  }

  async #reconnect () {
    if (this.#parts.state.tickMicros === this.#tickMicros) return this.#reconnectLater() // it is still paused
    await this.open()
    this.#isAway = false
    this.#reconnectedAt = monotonicMs()
    this.#parts.onReconnected()
  }

  /** Closes the session for good, unless a later use opens it again. */
  close () {
    clearTimeout(this.#timer)
    this.#opening = undefined
    this.#parts.session.close()
    this.#parts.state.confirmReleased()
  }
}

module.exports = { SessionLifecycle }
