'use strict'

// A heap snapshot from the question whether it fits to the file in the store. It runs in the observer thread; the main thread
// is only asked to write the file, and stands still for no longer than that.

const { randomBytes } = require('node:crypto')
const { assertFits, createGate } = require('./admission')
const { estimate } = require('./estimate')
const { previousPauses } = require('./previous-pauses')
const { readMemoryRoom } = require('../../../shared/system/memory-room')
const { abortable } = require('./abortable')
const { metadataOf, toPrevious } = require('./snapshot-facts')
const { createProgress } = require('./snapshot-progress')
const { SnapshotRun, START_WITHIN_MS } = require('./snapshot-run')

/** @import { PreviousSnapshot } from './estimate' */
/** @import { DiskRoom } from './admission' */
/** @import { ReportProgress } from './snapshot-progress' */
/** @import { SnapshotEngineName } from '../../../main/heap/snapshot-engines' */
/** @import { NewReservation } from '../../store/store' */
/** @import { TakeFacts, TakeOrder } from '../../../main/heap/take-snapshot' */

/**
 * @typedef {object} SnapshotStore
 * @property {() => { name: string, kind: string }[]} list
 * @property {(name: string) => any} metadata
 * @property {() => DiskRoom} room
 * @property {(wanted: NewReservation) => SnapshotReservation} reserve
 *
 * @typedef {object} SnapshotReservation
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
 * @property {{ around (from: number, to: number): import('../../../../types/diagnostics').Mark[] }} [marks]  of the process
 */

/**
 * @param {object} parts
 * @param {(order: TakeOrder) => Promise<TakeFacts>} parts.askMain  runs takeSnapshot() on the main thread
 * @param {(maxMs: number) => Promise<PreviousSnapshot['before']>} parts.readMainMemory  readMemory() of the main thread
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
  /** @type {PreviousSnapshot | null} */
  #previous = null
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
      const told = metadataOf(facts, verified, cost)
      return run.commit({ ...told, peakRssBytes, canaryIds, engine: order.engine, redaction, marks: marks.around(told.takenAt, told.takenAt + told.pauseMs) })
    } catch (error) {
      throw run.explain(error)
    } finally {
      run.abandon()
      // A main thread that was asked may still be about to answer: until then nobody else asks it, but who cancelled is not kept.
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

module.exports = { createSnapshots }
