'use strict'

// Runs one heap snapshot and reports its progress: reserves space in the store, has the main thread write the file, verifies it, makes the redacted
// copy and the artifact. The caller decides on the steps and their order, and abandons what is not kept.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const { redactSnapshot } = require('../redaction/redact')
const { findCanaries, verifySnapshot } = require('../redaction/verify')
const { guarded } = require('../../../base/guard')
const { monotonicMicros, monotonicMs } = require('../../../base/monotonic')
const { clearInterval, setInterval } = require('../../../base/timers')
const { CANARY_CLASS } = require('../../../shared/heap/canaries')
const { residentBytes } = require('../../../base/system/resident-memory')

/** @import { Estimate } from './estimate' */
/** @import { TakeFacts, TakeOrder } from '../../../probe/heap/take-snapshot' */
/** @import { Redacted } from '../redaction/redact' */
/** @import { Verified } from '../redaction/verify' */
/** @import { SnapshotOrder, SnapshotStore } from './snapshot-job' */

/** @typedef {'estimating' | 'writing' | 'verifying' | 'redacting'} SnapshotStage */
/** @typedef {(progress: { stage: SnapshotStage, bytes: number }) => void} ReportProgress */

// A main thread that has not begun by then is stuck: the snapshot would come later, when nobody expects it. Until then it may be busy, perhaps
// with a histogram of loopscope's, and the run waits.
const START_WITHIN_MS = 10_000

const REPORT_EVERY_MS = 250 // often enough to see progress
const CHECK_EVERY_MS = 25 // the memory peak lasts a few hundred milliseconds, while the file is written

class SnapshotRun {
  #order
  #store
  #signal
  #progress
  /** @type {ReturnType<SnapshotStore['reserve']> | undefined} */
  #reservation
  settled = Promise.resolve()
  hasPaused = false

  /**
   * @param {SnapshotOrder} order
   * @param {SnapshotStore} store
   * @param {AbortSignal} signal
   * @param {ReturnType<typeof createProgress>} progress
   */
  constructor (order, store, signal, progress) {
    this.#order = order
    this.#store = store
    this.#signal = signal
    this.#progress = progress
  }

  /** How many copies of the file are on disk at the same time. */
  get copies () { return this.#order.redact === 'off' ? 1 : 2 }

  get #reserved () { return /** @type {ReturnType<SnapshotStore['reserve']>} */ (this.#reservation) }

  /** The file that V8 writes. An unredacted one is kept as it is. */
  get #written () {
    const { partialPath, scratch } = this.#reserved
    return this.#order.redact === 'off' ? { path: partialPath, inode: null } : scratch
  }

  get #file () { return this.#written.path }

  /** @param {Estimate} cost */
  reserve ({ fileBytes }) {
    const { appName, force } = this.#order
    // With `force` the caller has already seen the required size; only the space that retention always leaves free is required.
    const bytesNeeded = force ? 0 : fileBytes
    this.#reservation = this.#store.reserve({
      kind: 'heap-snapshot',
      extension: 'heapsnapshot',
      at: Date.now(),
      appName,
      bytesNeeded,
      scratchBytes: bytesNeeded * (this.copies - 1)
    })
  }

  /** @param {(order: TakeOrder) => Promise<TakeFacts>} askMain @param {Estimate} cost */
  async write (askMain, { pauseMs: expectedPauseMs }) {
    const watch = watchWriting(this.#file, this.#progress)
    const asked = askMain({
      file: this.#file,
      inode: this.#written.inode,
      engine: this.#order.engine,
      notAfterMicros: monotonicMicros() + START_WITHIN_MS * 1e3,
      expectedPauseMs
    })
    this.settled = asked.then(() => { this.hasPaused = true }, () => {}).finally(watch.stop)
    const facts = await abortable(asked, this.#signal)
    await this.settled
    return { facts, peakRssBytes: Math.max(facts.peakRssBytes ?? 0, watch.peakRssBytes, facts.after.rssBytes ?? 0) }
  }

  verify () {
    this.#progress.stage('verifying')
    return verifySnapshot(this.#file, { className: CANARY_CLASS, ...this.#reading })
  }

  /** @param {Verified} verified */
  findCanaries ({ classIndex }) {
    return findCanaries(this.#file, classIndex, { signal: this.#signal })
  }

  /** @param {Buffer} nameKey @returns {Promise<{ mode: SnapshotOrder['redact'] } & Partial<Redacted>>} */
  async redact (nameKey) {
    const { redact: mode, hasPseudonyms } = this.#order
    if (mode === 'off') return { mode }
    this.#progress.stage('redacting')
    const valueKey = hasPseudonyms ? randomBytes(32) : undefined
    return { mode, ...await redactSnapshot(this.#file, this.#reserved.partialPath, { mode, nameKey, valueKey, ...this.#reading }) }
  }

  /** @param {object} metadata */
  commit (metadata) {
    return { ...this.#reserved.commit(metadata), metadata }
  }

  /** @param {unknown} error */
  explain (error) {
    return this.#reservation?.explain(error) ?? error
  }

  /** Removes everything that is not kept yet. A main thread that has not begun finds that it must not begin. */
  abandon () {
    this.#progress.end()
    this.#reservation?.abandon()
  }

  get #reading () {
    return { signal: this.#signal, onProgress: this.#progress.bytes }
  }
}

/** The progress of a heap snapshot, for its caller. @param {ReportProgress} onProgress */
function createProgress (onProgress) {
  /** @type {SnapshotStage} */
  let current = 'estimating'
  let isOver = false
  let reportedMs = -Infinity

  /** @param {number} bytes */
  function report (bytes) {
    reportedMs = monotonicMs()
    if (!isOver) onProgress({ stage: current, bytes })
  }

  return {
    /** @param {SnapshotStage} stage */
    stage (stage) {
      current = stage
      report(0)
    },
    /** @param {number} bytes */
    bytes (bytes) {
      if (monotonicMs() - reportedMs >= REPORT_EVERY_MS) report(bytes)
    },
    end () {
      isOver = true
    }
  }
}

/**
 * Watches the file size and the memory of the process from outside while the main thread writes the file and cannot report.
 * @param {string} file
 * @param {ReturnType<typeof createProgress>} progress
 */
function watchWriting (file, progress) {
  const watch = { peakRssBytes: 0, stop: () => clearInterval(timer) }
  const timer = setInterval(guarded(check), CHECK_EVERY_MS).unref()
  progress.stage('writing')

  function check () {
    watch.peakRssBytes = Math.max(watch.peakRssBytes, residentBytes() ?? 0)
    progress.bytes(fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  }
  return watch
}

/**
 * Waits for work that cannot be cancelled, but no longer than until the signal: the main thread answers when it can.
 * @template T
 * @param {Promise<T>} work
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function abortable (work, signal) {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => reject(signal.reason))
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

module.exports = { START_WITHIN_MS, SnapshotRun, abortable, createProgress }
