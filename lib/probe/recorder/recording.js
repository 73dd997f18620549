'use strict'

// Recording in this process: when the recorder runs, why it pauses, and why it may be unavailable.

const { isMainThread } = require('node:worker_threads')
const { unattended } = require('../../base/guard')
const { inspector } = require('../process/inspector')
const { monotonicMicros } = require('../../base/monotonic')
const { OTHER_RUNTIME } = require('../../base/system/runtime')
const { warnOnce } = require('../../base/warnings')
const { ENGINES, enginesOf } = require('./engines')
const { Recorder } = require('./recorder')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Tell } from '../../link/channel' */
/** @import { DebuggerStatus } from '../../observer/recorder/debugger-detector' */
/** @import { RealEngine } from './engines' */
/** @import { PauseReason } from './recorder' */
/** @import { ResolvedOptions } from '../../api/options/resolve-options' */

class Recording {
  #parts
  /** With the default engine created at start: detecting what this Node.js supports loads node:v8. @type {Recorder | null} */
  #recorder
  /** Why an engine cannot record in this process at all; checked again after an observer restart. @type {string | null} */
  #sessionError = null
  #isSessionAway = false
  /** The status that the observer has just read; valid only for this moment. @type {DebuggerStatus | undefined} */
  #debuggerStatus
  #isDetecting = false
  /** The URL of the open inspector that the observer last received. @type {string | undefined} */
  #sentUrl
  /** Recording is requested, but the application is still loading: a profiler would slow that down. */
  #isWanted = false
  /** When it was first started, or found impossible. */
  #begunMicros = Infinity

  /**
   * @param {object} parts
   * @param {ResolvedOptions['recorder']} parts.settings
   * @param {string | null} parts.profilerInUse  why V8's profiler is in use by another tool; null: it is not
   * @param {string} parts.titlePrefix  for this process's windows
   * @param {Logger} parts.logger
   * @param {{ setSampled (isSampled: boolean): void }} parts.loopTime
   * @param {Tell} parts.tell  the observer
   * @param {{ readonly lastMicros: number, exempt (work: () => void): void }} parts.heartbeat
   * @param {(url: string) => Promise<DebuggerStatus>} parts.detectDebugger  queries the observer; rejects when it is gone
   * @param {() => void} parts.onRotated
   * @throws ERR_LOOPSCOPE_ENGINE_MISSING, ERR_LOOPSCOPE_ENGINE_UNSUPPORTED
   */
  constructor (parts) {
    this.#parts = parts
    this.#recorder = parts.settings === false || parts.settings.engine === 'auto' ? null : this.#make(parts.settings)
  }

  get isRecording () { return this.#recorder?.running ?? false }

  get overheadSeconds () { return this.#recorder?.overheadSeconds ?? 0 }

  /**
   * Starts once the observer is ready: in the middle of whatever this thread does, or as soon as its loop turns. It may be called again.
   * @param {string | null} sessionError  why the observer has no inspector session
   */
  start (sessionError) {
    const { settings, heartbeat } = this.#parts
    if (settings === false) return
    this.#sessionError = sessionError
    this.#sentUrl = undefined
    heartbeat.exempt(() => this.#start(settings))
  }

  /** @param {Exclude<ResolvedOptions['recorder'], false>} settings */
  #start (settings) {
    const { logger, tell } = this.#parts
    this.#recorder ??= this.#make(settings)
    const reasons = enginesOf(settings.engine).map(name => this.#whyUnavailable(name))
    if (reasons.includes(null)) return this.#startOnceLoaded()
    const [reason] = reasons
    this.#begin()
    tell('recording', { on: false, reason: String(reason) })
    if (OTHER_RUNTIME === null) warnOnce(logger, 'LOOPSCOPE_WARN_RECORDER_UNAVAILABLE', reason)
  }

  /** Why this engine cannot record in this process. @param {RealEngine} name */
  #whyUnavailable (name) {
    const { usesSession, recordsWorkers } = ENGINES[name]
    if (OTHER_RUNTIME !== null) return `${OTHER_RUNTIME} cannot be recorded`
    if (!isMainThread && !recordsWorkers) return 'this is not the main thread'
    return usesSession ? this.#sessionError ?? this.#parts.profilerInUse : null
  }

  /** The loop turns for the first time. */
  turned () {
    if (this.#isWanted) this.#parts.heartbeat.exempt(() => this.#startOnceLoaded())
  }

  #startOnceLoaded () {
    this.#isWanted = this.#parts.heartbeat.lastMicros === 0
    if (this.#isWanted) return
    this.#recorder?.start()
    this.#begin()
  }

  #begin () {
    this.#begunMicros = Math.min(this.#begunMicros, monotonicMicros())
  }

  /** Whether it had not been started for the first time at that moment. @param {number} micros */
  wasStartingAt (micros) {
    return this.#parts.settings !== false && micros < this.#begunMicros
  }

  stop () {
    this.#isWanted = false
    this.#recorder?.stop()
  }

  /** The observer released its inspector session, which receives windows, or has it again. @param {boolean} isAway */
  setAway (isAway) {
    this.#isSessionAway = isAway
    if (isAway) warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_SESSION_AWAY')
    this.#parts.heartbeat.exempt(() => { this.#recorder?.check(monotonicMicros()) })
  }

  /** The observer is gone: nothing receives the windows. */
  onLost () {
    this.stop()
    this.#begin()
    this.#isSessionAway = false
    this.#parts.loopTime.setSampled(false)
  }

  /**
   * @param {number} micros  now
   * @param {boolean} isIdle
   * @returns {boolean} whether it took noticeable loop time
   */
  tick (micros, isIdle) {
    this.#sendUrl()
    return this.#recorder?.tick(micros, isIdle) ?? false
  }

  #sendUrl () {
    const url = inspector?.url()
    if (url === this.#sentUrl) return
    this.#sentUrl = url
    this.#parts.tell('inspectorUrl', { url })
  }

  /** @param {DebuggerStatus} [status]  of a debugger, read just now */
  rotate (status) {
    this.#withStatus(status, () => this.#recorder?.rotate())
  }

  rotateSoon () {
    this.#recorder?.rotateSoon()
  }

  /** Whether the process has been idle since then, so that there are no samples. @param {number} micros */
  hasBeenSlowSince (micros) {
    return this.#recorder?.hasBeenSlowSince(micros) ?? false
  }

  /** There is activity, or it has just begun. */
  sampleFast () {
    this.#recorder?.sampleFast()
  }

  /** @param {Exclude<ResolvedOptions['recorder'], false>} settings */
  #make (settings) {
    const { titlePrefix, logger, loopTime, tell, onRotated } = this.#parts
    return new Recorder({
      ...settings,
      engines: enginesOf(settings.engine),
      titlePrefix,
      deliver: window => tell('window', { window }),
      pauseReason: engine => this.#pauseReason(engine),
      onPause: ({ code, values, reason }) => {
        warnOnce(logger, code, ...values)
        loopTime.setSampled(false)
        tell('recording', { on: false, reason })
      },
      onResume: () => {
        loopTime.setSampled(true)
        tell('recording', { on: true, reason: '' })
      },
      onRotated
    })
  }

  /** @param {RealEngine} engine @returns {PauseReason | null | undefined} */
  #pauseReason (engine) {
    const never = this.#whyUnavailable(engine)
    if (never !== null) return { code: 'LOOPSCOPE_WARN_RECORDER_UNAVAILABLE', values: [never], reason: never }
    if (!ENGINES[engine].usesSession) return null
    if (this.#isSessionAway) {
      const reason = 'the recorder is paused for a moment: this process debugs itself, or was about to end'
      return { code: 'LOOPSCOPE_WARN_SESSION_AWAY', values: [], reason }
    }
    const url = inspector?.url()
    if (url === undefined) return null
    if (this.#debuggerStatus?.url !== url) {
      unattended(this.#detectDebugger(url))
      return undefined
    }
    const { reason } = this.#debuggerStatus
    return reason === null ? null : { code: 'LOOPSCOPE_WARN_RECORDER_PAUSED', values: [reason], reason: `the recorder is paused: ${reason}` }
  }

  /**
   * A debugger with the profiler enabled is notified of each profile that starts: so loopscope checks for one right before.
   * @param {string} url
   */
  async #detectDebugger (url) {
    if (this.#isDetecting) return
    this.#isDetecting = true
    const status = await this.#parts.detectDebugger(url).catch(() => undefined)
    this.#isDetecting = false
    if (status === undefined) return
    this.#withStatus(status, () => this.#parts.heartbeat.exempt(() => {
      this.#recorder?.check(monotonicMicros())
      this.#recorder?.tick(monotonicMicros())
    }))
  }

  /** @param {DebuggerStatus | undefined} status @param {() => void} work */
  #withStatus (status, work) {
    this.#debuggerStatus = status
    try {
      work()
    } finally {
      this.#debuggerStatus = undefined
    }
  }
}

module.exports = { Recording }
