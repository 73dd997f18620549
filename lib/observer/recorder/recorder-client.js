'use strict'

// The recorder's end in the observer, wired: the inspector session with the main thread and when there is one, the windows that are
// kept, and views cut from them.

const { createSharedTurn } = require('../../shared/base/coalescer')
const { createDebuggerLook } = require('./debugger-detector')
const { createHistory } = require('./history')
const { createProfilerSession } = require('./inspector-session')
const { createSessionKeeper } = require('./session-lifecycle')
const { createViews } = require('./views')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SharedState } from '../../bridge/shared-state' */
/** @import { ObserverSettings } from '../../main/observing/observer-client' */

const ROTATION_REST_MS = 100

/**
 * @param {object} parts
 * @param {ObserverSettings} parts.settings
 * @param {SharedState} parts.state
 * @param {() => void} parts.askToRotate  the main thread, where there is no session to do it through
 * @param {(window: CpuProfile) => void} parts.onWindow  clean, in order
 * @param {(isAway: boolean) => void} parts.onAway  the session was let go of, or is there again
 */
function createFlightRecorder (parts) {
  return new FlightRecorder(parts)
}

class FlightRecorder {
  #settings
  #onWindow
  #askToRotate
  #session
  #keeper
  #debuggerLook = createDebuggerLook()
  // Readers of profiles are many; ending a window takes some of the main thread's time.
  #rotation = createSharedTurn({ take: () => this.rotateNow(), restMs: () => ROTATION_REST_MS })
  #hasSession = false
  #isRecording = false
  #whyNot
  history

  /** @param {Parameters<typeof createFlightRecorder>[0]} parts */
  constructor ({ settings, state, askToRotate, onWindow, onAway }) {
    this.#settings = settings
    this.#onWindow = onWindow
    this.#askToRotate = askToRotate
    this.#whyNot = settings.hz === 0 ? 'option recorder is false' : 'the recorder has not started yet'
    this.history = createHistory({ keepMicros: settings.keepSeconds * 1e6 })
    this.#session = createProfilerSession({
      ...settings,
      onWindow: window => this.addWindow(window),
      onDisconnectAwaited: () => this.#keeper.letGo(),
      onDebuggerAwaited: () => this.#session.endDebuggerWait().catch(ignore)
    })
    const setAway = (/** @type {boolean} */ isAway) => {
      this.#hasSession = !isAway
      onAway(isAway)
    }
    this.#keeper = createSessionKeeper({ state, session: this.#session, onAway: () => setAway(true), onBack: () => setAway(false) })
  }

  get isRecording () { return this.#isRecording }

  /** To the inspector of the main thread. @type {(method: string, params?: object) => Promise<any>} */
  post = (method, params) => this.#keeper.post(method, params)

  /**
   * Also without windows of its own the session is worth having: it asks a stuck main thread for the route.
   * @returns {Promise<string | null>} why there is none
   */
  async open () {
    if (this.#settings.hz === 0) return null
    const sessionError = await this.#keeper.open().then(() => null, error => error.message)
    this.#hasSession = sessionError === null
    return sessionError
  }

  close () {
    this.#keeper.close()
  }

  letGo () {
    this.#keeper.letGo()
  }

  /** @param {() => boolean} isStill  the main thread stands */
  yieldToPauses (isStill) {
    return this.#keeper.yieldToPauses(isStill)
  }

  /**
   * @param {boolean} on
   * @param {string} reason
   */
  setRecording (on, reason) {
    this.#isRecording = on
    this.#whyNot = reason
  }

  /** @param {CpuProfile} window */
  addWindow (window) {
    this.#onWindow(this.history.add(window))
  }

  /** @param {string} url */
  lookForDebugger (url) {
    return this.#debuggerLook.look(url)
  }

  /**
   * Ends the open window, in the middle of whatever the main thread does.
   * @returns {Promise<{ route: string | null } | undefined>} what it works for
   */
  rotateNow () {
    return this.#session.interrupt({ rotate: true, seen: this.#debuggerLook.lookAgain() })
  }

  /** Has the main thread note what it works for. */
  noteRoute () {
    this.#session.interrupt({ rotate: false }).catch(ignore)
  }

  /** @param {{ impatientMs?: number }} [options] */
  views (options) {
    return createViews({
      history: this.history,
      keepSeconds: this.#settings.keepSeconds,
      rotate: () => this.#rotate(),
      unavailable: () => this.#isRecording ? null : this.#whyNot,
      ...options
    })
  }

  #rotate () {
    if (this.#hasSession) this.#rotation.share().catch(ignore)
    else this.#askToRotate()
  }
}

/** An interrupt that fails is a session that closed, or a main thread that ended: there is nobody to tell. */
function ignore () {}

module.exports = { createFlightRecorder }
