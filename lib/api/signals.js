'use strict'

// Signals that start a capture: `kill -USR2 <pid>`. It is independent of the kinds of captures.

const fs = require('node:fs')
const os = require('node:os')
const { primaryThatDiesOf } = require('../base/system/cluster-worker')
const { readStat } = require('../base/system/process-ids')
const { guarded } = require('../base/guard')
const { refuse, assertKnownKeys } = require('../base/validate')
const { hold, release } = require('../probe/process/process-wide')
const { warnOnce } = require('../base/warnings')

/** @import { Artifact, CaptureKind, Logger, SignalMap } from '../../types/diagnostics' */

const DEFAULTS = Object.freeze(/** @type {SignalMap} */ ({ SIGUSR2: 'cpu' }))

// SIGPROF is V8's own, for sampling: one that arrives after loopscope's handler is removed ends the process.
const REFUSED = ['SIGKILL', 'SIGSTOP', 'SIGPROF']
const MAX_ANCESTORS = 4 // app <- sh <- nodemon <- npm
const PARENT = 1 // ppid, of the fields of readStat()

/** @param {string} path @param {unknown} value @param {(kind: unknown) => void} assertKind */
function checkSignals (path, value, assertKind) {
  if (value === false) return
  if (value === null || typeof value !== 'object') refuse(path, 'false, or an object of signal to kind', value)
  const catchable = Object.keys(os.constants.signals).filter(name => !REFUSED.includes(name))
  // Signals of other systems are valid: the same configuration may run on several.
  assertKnownKeys(path, value, [...catchable, ...Object.keys(DEFAULTS)])
  for (const kind of Object.values(value)) assertKind(kind)
}

class Signals {
  #parts
  /** What releases each signal. @type {Map<NodeJS.Signals, () => void>} */
  #held = new Map()
  /** @type {Set<string>} */
  #underWay = new Set()

  /**
   * @param {object} parts
   * @param {SignalMap} parts.signals
   * @param {Logger} parts.logger
   * @param {(kind: CaptureKind) => Promise<Pick<Artifact, 'path' | 'bytes' | 'shortened'>>} parts.capture
   * @param {(kind: CaptureKind) => void} parts.onSkipped  called for a signal that came while its capture was running
   */
  constructor (parts) {
    this.#parts = parts
  }

  start () {
    for (const [name, kind] of Object.entries(this.#parts.signals)) {
      const signal = /** @type {NodeJS.Signals} */ (name)
      if (!this.#held.has(signal)) this.#listen(signal, kind)
    }
  }

  stop () {
    for (const giveBack of this.#held.values()) giveBack()
    this.#held.clear()
  }

  /** @param {NodeJS.Signals} signal @param {CaptureKind} kind */
  #listen (signal, kind) {
    if (signal === 'SIGUSR2' && isUnderNodemon()) {
      return warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_SIGNAL_SKIPPED', signal, 'nodemon restarts the process with it')
    }
    if (!Object.hasOwn(os.constants.signals, signal)) {
      // Windows has no SIGUSR2. By default it is left out without a word; one that was asked for is reported.
      if (this.#parts.signals !== DEFAULTS) warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_SIGNAL_SKIPPED', signal, `${process.platform} has no such signal`)
      return
    }
    const answer = () => this.#onSignal(signal, kind)
    try {
      const { value: listener } = hold(signalName(signal), () => listenTo(signal))
      listener.answers.add(answer)
      this.#held.set(signal, () => {
        listener.answers.delete(answer)
        release(signalName(signal), stopListening)
      })
    } catch (error) {
      warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_SIGNAL_SKIPPED', signal, /** @type {Error} */ (error).message)
    }
  }

  /** Handles a signal that came before this listened. @param {NodeJS.Signals} signal */
  answer (signal) {
    const kind = this.#parts.signals[signal]
    return kind && this.#onSignal(signal, kind)
  }

  /** @param {NodeJS.Signals} signal @param {CaptureKind} kind */
  async #onSignal (signal, kind) {
    const { logger, capture, onSkipped } = this.#parts
    if (this.#underWay.has(kind)) {
      onSkipped(kind)
      return logger.info({ signal, kind }, `${signal}: a ${kind} capture is under way already; its path follows`)
    }
    this.#underWay.add(kind)
    logger.info({ signal, kind }, `${signal}: capturing ${kind}${primaryHint(signal)}`)
    try {
      const { path, bytes, shortened } = await capture(kind)
      logger.info({ signal, kind, path, bytes, shortened }, `${signal}: ${kind} capture written to ${path}`)
    } catch (error) {
      logger.error({ signal, kind, err: error }, `${signal}: ${kind} capture failed: ${/** @type {Error} */ (error).message}`)
    } finally {
      this.#underWay.delete(kind)
    }
  }
}

/**
 * @typedef {object} SharedListener  listener of a signal, for all handles of the process
 * @property {Set<() => unknown>} answers  answers of the handles, oldest first
 * @property {() => void} stopListening
 */

/**
 * One listener per process, however many handles there are. A second diagnostics() would capture the same thing twice: only the oldest one
 * answers.
 * @param {NodeJS.Signals} signal
 * @returns {SharedListener}
 * @throws if the system does not support the signal
 */
function listenTo (signal) {
  /** @type {SharedListener['answers']} */
  const answers = new Set()
  const listener = guarded(() => {
    const [oldest] = answers
    return oldest?.()
  })
  process.on(signal, listener)
  return { answers, stopListening: () => process.off(signal, listener) }
}

/** @param {SharedListener} listener */
function stopListening (listener) {
  listener.stopListening()
}

/** Signaling all processes of a service ends it. @param {NodeJS.Signals} signal */
function primaryHint (signal) {
  const pid = primaryThatDiesOf(signal)
  if (pid === null) return ''
  return `. Send it to workers only: the primary, process ${pid}, does not handle it and would die, and the workers with it`
}

/** @param {string} signal */
function signalName (signal) {
  return `signal.1.${signal}` // the number is the version of SharedListener
}

/** nodemon sends SIGUSR2 to the whole group to restart it and sets no variable: only the parent processes show it. */
function isUnderNodemon () {
  try {
    for (let pid = process.ppid, up = 0; pid > 1 && up < MAX_ANCESTORS; up++) {
      if (fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').some(isNodemon)) return true
      pid = Number(readStat(pid)[PARENT])
    }
  } catch {} // no /proc: the signal's owner cannot be determined
  return false
}

/** The command, not a file such as nodemon.json or a folder of that name. @param {string} argument */
function isNodemon (argument) {
  return /(^|\/)nodemon(\.js)?$/.test(argument)
}

module.exports = { Signals, checkSignals, isUnderNodemon, DEFAULTS }
