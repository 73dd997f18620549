'use strict'

// Takes a heap snapshot, from the check whether it fits to the file in the store. It runs in the observer thread; the main thread only writes the
// file, and is paused no longer than that.

const { randomBytes } = require('node:crypto')
const { Gate, assertFits } = require('./admission')
const { estimate, pauseMsPerMb } = require('./estimate')
const { readMemoryRoom } = require('../../../base/system/memory-room')
const { START_WITHIN_MS, SnapshotRun, abortable, createProgress } = require('./snapshot-run')

/** @import { DiskRoom } from './admission' */
/** @import { Estimate, PreviousSnapshot } from './estimate' */
/** @import { SnapshotEngineName } from '../../../probe/heap/snapshot-engines' */
/** @import { TakeFacts, TakeOrder } from '../../../probe/heap/take-snapshot' */
/** @import { Verified } from '../redaction/verify' */
/** @import { ReportProgress } from './snapshot-run' */
/** @import { Reservation } from '../../store/reservation' */
/** @import { NewReservation } from '../../store/store' */

/**
 * @typedef {object} SnapshotStore
 * @property {() => { name: string, kind: string }[]} list
 * @property {(name: string) => any} metadata
 * @property {() => DiskRoom} room
 * @property {(wanted: NewReservation) => Omit<Reservation, 'name'>} reserve
 *
 * @typedef {object} SnapshotOrder
 * @property {string} appName
 * @property {'values' | 'strict' | 'off'} redact
 * @property {boolean} hasPseudonyms  equal values stay recognizable as equal, within this snapshot
 * @property {boolean} force
 * @property {SnapshotEngineName} engine
 * @property {number} maxPauseMs
 *
 * @typedef {object} SnapshotTools
 * @property {SnapshotStore} store
 * @property {AbortSignal} signal
 * @property {ReportProgress} [onProgress]
 * @property {{ around (from: number, to: number): import('../../../../types/diagnostics').Mark[] }} [marks]  the marks of the process
 */

class Snapshots {
  #askMain
  #readMainMemory
  #gate
  #memoryRoom
  /** @type {PreviousSnapshot | null} */
  #previous = null
  /** The key of this process: names must be the same in two compared snapshots, and mean nothing elsewhere. */
  #nameKey = randomBytes(32)

  /**
   * @param {object} parts
   * @param {(order: TakeOrder) => Promise<TakeFacts>} parts.askMain  runs takeSnapshot() on the main thread
   * @param {(maxMs: number) => Promise<PreviousSnapshot['before']>} parts.readMainMemory  readMemory() of the main thread
   * @param {Gate} [parts.gate]
   * @param {typeof readMemoryRoom} [parts.memoryRoom]
   */
  constructor ({ askMain, readMainMemory, gate = new Gate(), memoryRoom = readMemoryRoom }) {
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
  async take (order, { store, signal, onProgress = () => {}, marks = { around: () => [] } }) {
    this.#gate.enter(order.force)
    const progress = createProgress(onProgress)
    const run = new SnapshotRun(order, store, signal, progress)
    try {
      const cost = await abortable(this.#judge(order, run.copies, store, progress), signal)
      signal.throwIfAborted()
      run.reserve(cost)
      const { facts, peakRssBytes } = await run.write(this.#askMain, cost)
      const verified = await run.verify()
      this.#previous = toPrevious(facts, verified)
      const canaryIds = await run.findCanaries(verified)
      const redaction = await run.redact(this.#nameKey)
      const metadata = metadataOf(facts, verified, cost)
      return run.commit({ ...metadata, peakRssBytes, canaryIds, engine: order.engine, redaction, marks: marks.around(metadata.takenAt, metadata.takenAt + metadata.pauseMs) })
    } catch (error) {
      throw run.explain(error)
    } finally {
      run.abandon()
      // The main thread may still answer a cancelled request: the next snapshot waits for that, but the caller that cancelled does not.
      const settled = run.settled.then(() => this.#leave(run))
      if (!signal.aborted) await settled
    }
  }

  /** @param {SnapshotRun} run */
  #leave (run) {
    run.abandon()
    this.#gate.leave(run.hasPaused)
  }

  /**
   * @param {SnapshotOrder} order
   * @param {number} copies
   * @param {SnapshotStore} store
   * @param {ReturnType<typeof createProgress>} progress
   */
  async #judge ({ force, maxPauseMs }, copies, store, progress) {
    progress.stage('estimating')
    const cost = estimate(await this.#readMainMemory(START_WITHIN_MS), this.#previous, previousPauses(store))
    if (!force) assertFits(cost, { memory: this.#memoryRoom(), disk: store.room(), copies, maxPauseMs })
    return cost
  }
}

/**
 * How long the heap snapshots in the store took, including those of earlier runs: no table has the speed or the load of this machine.
 * @param {{ list: () => { name: string, kind: string }[], metadata: (name: string) => any }} store
 * @returns {number[]} milliseconds per megabyte, at most one value per snapshot
 */
function previousPauses (store) {
  const snapshots = store.list().filter(({ kind }) => kind === 'heap-snapshot')
  return snapshots.map(({ name }) => store.metadata(name)?.pauseMsPerMb).filter(pause => Number.isFinite(pause) && pause > 0)
}

/**
 * The starting point of the next estimate.
 * @param {TakeFacts} facts
 * @param {Verified} verified
 * @returns {PreviousSnapshot}
 */
function toPrevious ({ before, after, pauseMs }, { nodes, edges, generatedNames: names, fileBytes }) {
  return { before, after, nodes, edges, names, fileBytes, pauseMs }
}

/** The metadata stored beside the file. @param {TakeFacts} facts @param {Verified} verified @param {Estimate} cost */
function metadataOf ({ before, after, peakRssBytes, ...facts }, { nodes, edges, strings }, { memoryBytes, fileBytes, pauseMs, basis }) {
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

module.exports = { Snapshots }
