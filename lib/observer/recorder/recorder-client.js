'use strict'

// The observer's part of the recorder: the inspector session with the main thread and when it is open, the kept windows, and the
// views cut from them.

const { setTimeout: sleep } = require('node:timers/promises')
const { SingleFlight } = require('../../base/single-flight')
const { createDebuggerDetector } = require('./debugger-detector')
const { History } = require('./history')
const { InspectorSession } = require('./inspector-session')
const { SessionLifecycle } = require('./session-lifecycle')
const { createThreadRecorder } = require('../threads/thread-recorder')
const { ThreadSessions } = require('../threads/thread-sessions')
const { ThreadCpu } = require('./thread-cpu')
const { readSerialized } = require('./serialized-window')
const { createViews, withThreads } = require('./views')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { ObserverSettings } from '../../link/messages' */
/** @import { EndedWindow } from '../../probe/recorder/engines' */

const ROTATION_REST_MS = 100

class RecorderClient {
  #settings
  #onWindow
  #label
  #askToRotate
  /** @type {InspectorSession} */
  #session
  #lifecycle
  #debuggerDetector = createDebuggerDetector()
  // Profiles have many readers, and ending a window takes some of the main thread's time.
  #rotation = new SingleFlight({ take: () => this.rotateNow(), restMs: () => ROTATION_REST_MS })
  #hasSession = false
  #isRecording = false
  #offReason
  /** @type {string | undefined} */
  #inspectorUrl
  #threads
  threadCpu
  /** The sessions with the workers of the process. */
  threadSessions
  history

  /**
   * @param {object} parts
   * @param {ObserverSettings} parts.settings
   * @param {SharedState} parts.state
   * @param {() => number | null} parts.readCpuMs  of the observed thread; null: the system does not report it
   * @param {() => void} parts.askToRotate  asks the main thread by message, used if there is no inspector session
   * @param {(window: CpuProfile) => void} parts.onWindow  without loopscope's frames, in order
   * @param {(profile: CpuProfile) => Promise<CpuProfile>} parts.label  adds the routes of the samples
   * @param {(isAway: boolean) => void} parts.onAway  the session is disconnected for a while, or connected again
   */
  constructor ({ settings, state, readCpuMs, askToRotate, onWindow, label, onAway }) {
    this.#settings = settings
    this.#label = label
    this.#onWindow = onWindow
    this.#askToRotate = askToRotate
    this.#offReason = settings.hz === 0 ? 'option recorder is false' : 'the recorder has not started yet'
    this.threadCpu = new ThreadCpu({ readCpuMs, noted: () => state.notedCpu })
    this.history = new History({ keepMicros: settings.keepSeconds * 1e6, complete: window => this.threadCpu.show(window) })
    this.#session = new InspectorSession({
      ...settings,
      onWindow: window => this.addWindow(window),
      onDisconnectAwaited: () => this.#lifecycle.disconnect(),
      onDebuggerAwaited: () => this.#session.endDebuggerWait().catch(ignore)
    })
    this.threadSessions = new ThreadSessions({
      open: async () => {
        const reason = this.debuggerReason()
        if (reason !== null) throw new Error(reason)
        await this.#lifecycle.open()
      },
      post: (method, params) => this.#session.post(method, params),
      listen: (event, listener) => this.#session.listen(event, listener)
    })
    this.#threads = createThreadRecorder(this.threadSessions)
    const setAway = (/** @type {boolean} */ isAway) => {
      this.#hasSession = !isAway
      if (isAway) this.threadSessions.lose()
      onAway(isAway)
    }
    this.#lifecycle = new SessionLifecycle({
      state,
      session: this.#session,
      onDisconnected: () => setAway(true),
      onReconnected: () => setAway(false)
    })
  }

  get isRecording () { return this.#isRecording }

  get hasSession () { return this.#hasSession }

  /** Whether the running code can be probed while it is recorded. */
  get canProbe () { return this.#isRecording && this.#hasSession }

  /** Sends a command to the inspector of the main thread. @type {(method: string, params?: object) => Promise<any>} */
  post = (method, params) => this.#lifecycle.post(method, params)

  /**
   * The session is useful even without windows of its own: it reads the route of a stuck main thread.
   * @returns {Promise<string | null>} why there is no session
   */
  async open () {
    if (this.#settings.hz === 0) return null
    const sessionError = await this.#lifecycle.open().then(() => null, error => error.message)
    this.#hasSession = sessionError === null
    if (this.#hasSession) this.#session.startRecording().catch(ignore)
    return sessionError
  }

  close () {
    this.#lifecycle.close()
  }

  disconnect () {
    this.#lifecycle.disconnect()
  }

  /** @param {() => boolean} isStill  whether the main thread is still stuck */
  disconnectOnPause (isStill) {
    return this.#lifecycle.disconnectOnPause(isStill)
  }

  /** @param {boolean} on @param {string} reason */
  setRecording (on, reason) {
    this.#isRecording = on
    this.#offReason = reason
  }

  /** @param {EndedWindow} window */
  addWindow (window) {
    this.threadCpu.note()
    this.#onWindow(this.history.add('json' in window ? readSerialized(window, 1e6 / this.#settings.hz) : window))
  }

  /** @param {string | undefined} url  of the main thread's inspector, while its port is open */
  setInspectorUrl (url) {
    this.#inspectorUrl = url
  }

  /** Why the profilers of worker threads, which a debugger notices, may not run; null: nobody is connected. */
  debuggerReason () {
    return this.#inspectorUrl === undefined ? null : this.detectDebugger(this.#inspectorUrl).reason
  }

  /** @param {string} url */
  detectDebugger (url) {
    return this.#debuggerDetector.detect(url)
  }

  /** Ends the open window, whatever the main thread is doing. @returns {ReturnType<InspectorSession['interrupt']>} */
  rotateNow () {
    return this.#session.interrupt({ rotate: true, seen: this.#debuggerDetector.detectAgain() })
  }

  /**
   * Makes the main thread note its request and return its stack.
   * @returns {ReturnType<InspectorSession['interrupt']>}
   */
  probeNow () {
    return this.#session.interrupt({ rotate: false })
  }

  /** Takes a stack probe for the labels of samples. */
  probeStack () {
    return this.#session.probeStack()
  }

  readInFlight () {
    return this.#session.readInFlight()
  }

  readHandlers () {
    return this.#session.readHandlers()
  }

  /** What views can be cut from: why there is nothing, or where it begins; Infinity before the first window has ended. */
  range () {
    return { offReason: this.#isRecording ? null : this.#offReason, fromMicros: this.history.fromMicros }
  }

  /** @param {Partial<Pick<Parameters<typeof createViews>[0], 'maxWaitMs' | 'maxPastWaitMs' | 'rotate' | 'label'>>} [options] */
  views (options) {
    const views = createViews({
      history: this.history,
      keepSeconds: this.#settings.keepSeconds,
      rotate: () => this.#rotate(),
      offReason: () => this.#isRecording ? null : this.#offReason,
      label: this.#label,
      ...options
    })
    return withThreads(views, this.#threads)
  }

  /**
   * Views for the end of the process: the main thread has ended the last window and no longer answers.
   * @param {number} maxWaitMs
   */
  lastViews (maxWaitMs) {
    const label = (/** @type {CpuProfile} */ profile) => Promise.race([this.#label(profile), sleep(maxWaitMs, profile)])
    return this.views({ rotate: ignore, label, maxWaitMs, maxPastWaitMs: maxWaitMs })
  }

  /** Ends the open window as soon as possible. */
  rotate () {
    this.#rotate()
  }

  #rotate () {
    if (this.#hasSession) this.#rotation.share().catch(ignore)
    else this.#askToRotate()
  }
}

/** An interrupt fails when the session has closed or the main thread has ended: nobody needs the error. */
function ignore () {}

module.exports = { RecorderClient }
