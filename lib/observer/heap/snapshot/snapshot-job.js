'use strict'

// A heap snapshot from the question whether it fits to the file in the store. It runs in the observer thread; the main thread
// is only asked to write the file, and stands still for no longer than that.

const { randomBytes } = require('node:crypto')
const { guarded } = require('../../../shared/base/guard')
const { monotonicMicros } = require('../../../shared/base/monotonic')
const { CANARY_CLASS } = require('../../../shared/heap/canaries')
const { findCanaries } = require('../redaction/find-canaries')
const { estimate, pauseMsPerMb } = require('./estimate')
const { assertFits, createGate } = require('../../../shared/heap/guard')
const { learnedPauses } = require('./learned-pauses')
const { readMemoryRoom } = require('./memory-limit')
const { createProgress, watchWriting } = require('./snapshot-progress')
const { redactSnapshot } = require('../redaction/redact')
const { verifySnapshot } = require('../redaction/verify')

/** @import { Estimate, Lesson } from './estimate' */
/** @import { DiskRoom } from '../../../shared/heap/guard' */
/** @import { ReportProgress } from './snapshot-progress' */
/** @import { SnapshotEngineName } from '../../../main/heap/snapshot-engines' */
/** @import { TakeFacts, TakeOrder } from '../../../main/heap/take-snapshot' */
/** @import { Verified } from '../redaction/verify' */

/**
 * @typedef {object} SnapshotStore
 * @property {() => { name: string, kind: string }[]} list
 * @property {(name: string) => any} metadata
 * @property {() => DiskRoom} room
 * @property {(wanted: { kind: string, extension: string, at: number, appName: string, bytesNeeded: number, scratchBytes: number }) => SnapshotPlace} reserve
 *
 * @typedef {object} SnapshotPlace
 * @property {string} partialPath
 * @property {{ path: string, inode: string | null }} scratch
 * @property {(metadata: object) => { name: string, path: string, bytes: number }} commit
 * @property {(error: unknown) => unknown} explain
 * @property {() => void} abandon
 *
 * @typedef {object} SnapshotOrder
 * @property {string} appName
 * @property {'values' | 'strict' | 'off'} redact
 * @property {boolean} hasPseudonyms  equal values are recognisable as equal, within this snapshot
 * @property {boolean} force
 * @property {SnapshotEngineName} engine
 * @property {number} maxPauseMs
 *
 * @typedef {object} SnapshotTools
 * @property {SnapshotStore} store
 * @property {AbortSignal} signal
 * @property {ReportProgress} [onProgress]
 */

// A main thread that does not come round by then is stuck: a snapshot would only come later, unasked. Until then it is busy, perhaps
// with a histogram of ours, and is waited for.
const START_WITHIN_MS = 10_000

/**
 * @param {object} parts
 * @param {(order: TakeOrder) => Promise<TakeFacts>} parts.askMain  runs takeSnapshot() on the main thread
 * @param {(maxMs: number) => Promise<Lesson['before']>} parts.readMainMemory  readMemory() of the main thread
 * @param {ReturnType<typeof createGate>} [parts.gate]
 * @param {typeof readMemoryRoom} [parts.memoryRoom]
 */
function createSnapshots (parts) {
  return new Snapshots(parts)
}

class Snapshots {
  #askMain
  #readMainMemory
  #gate
  #memoryRoom
  /** @type {Lesson | null} */
  #lesson = null
  /** Of this process: names must be the same in two snapshots that are compared, and mean nothing elsewhere. */
  #nameKey = randomBytes(32)

  /** @param {Parameters<typeof createSnapshots>[0]} parts */
  constructor ({ askMain, readMainMemory, gate = createGate(), memoryRoom = readMemoryRoom }) {
    this.#askMain = askMain
    this.#readMainMemory = readMainMemory
    this.#gate = gate
    this.#memoryRoom = memoryRoom
  }

  /**
   * @param {SnapshotOrder} order
   * @param {SnapshotTools} tools
   * @returns {Promise<{ name: string, path: string, bytes: number, metadata: object }>}
   */
  async take (order, { store, signal, onProgress = () => {} }) {
    this.#gate.enter(order.force)
    const progress = createProgress(onProgress)
    const run = new Run(order, store, signal, progress)
    try {
      const cost = await orAborted(this.#judge(order, store, progress), signal)
      signal.throwIfAborted()
      run.reserve(cost)
      const { facts, peakRssBytes } = await run.write(this.#askMain, cost)
      const verified = await run.verify()
      this.#lesson = learn(facts, verified)
      return await run.keep({ facts, peakRssBytes, verified, cost, nameKey: this.#nameKey })
    } catch (error) {
      throw run.explain(error)
    } finally {
      run.abandon()
      // A main thread that was asked may still be about to answer: until then nobody else asks it, but who cancelled is not kept.
      const settled = run.settled.then(() => this.#leave(run))
      if (!signal.aborted) await settled
    }
  }

  /** @param {Run} run */
  #leave (run) {
    run.abandon()
    this.#gate.leave(run.hasPaused)
  }

  /**
   * @param {SnapshotOrder} order
   * @param {SnapshotStore} store
   * @param {ReturnType<typeof createProgress>} progress
   */
  async #judge ({ force, redact, maxPauseMs }, store, progress) {
    progress.stage('estimating')
    const cost = estimate(await this.#readMainMemory(START_WITHIN_MS), this.#lesson, learnedPauses(store))
    if (!force) assertFits(cost, { memory: this.#memoryRoom(), disk: store.room(), copies: copiesOf(redact), maxPauseMs })
    return cost
  }
}

/** One snapshot on its way. */
class Run {
  #order
  #store
  #signal
  #progress
  /** @type {SnapshotPlace | undefined} */
  #place
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

  get #reserved () { return /** @type {SnapshotPlace} */ (this.#place) }

  /** What V8 writes: what is not redacted is kept as it is. */
  get #written () {
    const { partialPath, scratch } = this.#reserved
    return this.#order.redact === 'off' ? { path: partialPath, inode: null } : scratch
  }

  get #file () { return this.#written.path }

  /** @param {Estimate} cost */
  reserve ({ fileBytes }) {
    const { appName, force, redact } = this.#order
    // Who forces it has been told what it needs; only the room that retention always leaves is asked for then.
    const bytesNeeded = force ? 0 : fileBytes
    this.#place = this.#store.reserve({
      kind: 'heap-snapshot',
      extension: 'heapsnapshot',
      at: Date.now(),
      appName,
      bytesNeeded,
      scratchBytes: bytesNeeded * (copiesOf(redact) - 1)
    })
  }

  /**
   * @param {Parameters<typeof createSnapshots>[0]['askMain']} askMain
   * @param {Estimate} cost
   */
  async write (askMain, { pauseMs: expectedPauseMs }) {
    const watch = watchWriting(this.#file, this.#progress)
    const asked = askMain({ file: this.#file, inode: this.#written.inode, engine: this.#order.engine, notAfterMicros: monotonicMicros() + START_WITHIN_MS * 1e3, expectedPauseMs })
    this.settled = asked.then(() => { this.hasPaused = true }, () => {}).finally(watch.stop)
    const facts = await orAborted(asked, this.#signal)
    await this.settled
    return { facts, peakRssBytes: Math.max(facts.peakRssBytes ?? 0, watch.peakRssBytes, facts.after.rssBytes) }
  }

  verify () {
    this.#progress.stage('verifying')
    return verifySnapshot(this.#file, { className: CANARY_CLASS, ...this.#reading })
  }

  /**
   * @param {{ facts: TakeFacts, peakRssBytes: number, verified: Verified, cost: Estimate, nameKey: Buffer }} known
   */
  async keep ({ facts, peakRssBytes, verified, cost, nameKey }) {
    const canaryIds = await findCanaries(this.#file, verified.classIndex, { signal: this.#signal })
    const redacted = await this.#redact(nameKey)
    const metadata = {
      ...describe(facts, verified, cost),
      peakRssBytes,
      canaryIds,
      engine: this.#order.engine,
      redaction: { mode: this.#order.redact, ...redacted }
    }
    return { ...this.#reserved.commit(metadata), metadata }
  }

  /** @param {unknown} error */
  explain (error) {
    return this.#place?.explain(error) ?? error
  }

  /** What is not kept by now goes; the main thread, if it has not begun, sees that it need not. */
  abandon () {
    this.#progress.end()
    this.#place?.abandon()
  }

  /** @param {Buffer} nameKey */
  async #redact (nameKey) {
    const { redact: mode, hasPseudonyms } = this.#order
    if (mode === 'off') return
    this.#progress.stage('redacting')
    const valueKey = hasPseudonyms ? randomBytes(32) : undefined
    return redactSnapshot(this.#file, this.#reserved.partialPath, { mode, nameKey, valueKey, ...this.#reading })
  }

  get #reading () {
    return { signal: this.#signal, onProgress: this.#progress.bytes }
  }
}

/** @param {SnapshotOrder['redact']} redact */
function copiesOf (redact) {
  return redact === 'off' ? 1 : 2
}

/**
 * @param {TakeFacts} facts
 * @param {Verified} verified
 * @returns {Lesson}
 */
function learn ({ before, after, pauseMs }, { nodes, edges, generatedNames: names, fileBytes }) {
  return { before, after, nodes, edges, names, fileBytes, pauseMs }
}

/**
 * @param {TakeFacts} facts
 * @param {Verified} verified
 * @param {Estimate} cost
 */
function describe ({ before, after, peakRssBytes, ...facts }, { nodes, edges, strings }, { memoryBytes, fileBytes, pauseMs, basis }) {
  return {
    ...facts,
    nodes,
    edges,
    strings,
    pauseMsPerMb: pauseMsPerMb({ after, pauseMs: facts.pauseMs }),
    rssBeforeBytes: before.rssBytes,
    rssAfterBytes: after.rssBytes,
    heapUsedBytes: after.heapUsedBytes,
    estimated: { memoryBytes, fileBytes, pauseMs, basis }
  }
}

/**
 * @template T
 * @param {Promise<T>} work
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function orAborted (work, signal) {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => reject(signal.reason))
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

module.exports = { createSnapshots }
