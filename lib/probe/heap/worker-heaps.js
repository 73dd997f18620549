'use strict'

// Reads the heaps of the worker threads that this thread has started, where Node.js can: 22.16 and later in 22, 24 and later.

const { Promise } = require('../../base/globals')
const { outsideRequest, setTimeout, clearTimeout } = require('../../base/timers')
const { guarded } = require('../../base/guard')

/** @import { Worker } from 'node:worker_threads' */

const ANSWER_MS = 100 // a worker that waits in a system call does not answer
const MAX_NAME = 100

/**
 * @typedef {object} WorkerHeap
 * @property {number} threadId
 * @property {string} name
 * @property {number | null} usedBytes       null: it did not answer, or Node.js cannot read it
 * @property {number | null} committedBytes  of its heap, as far as it is in memory
 * @property {number | null} externalBytes   its Buffers and other memory outside of its heap
 */

class WorkerHeaps {
  #isOwn
  /** @type {Set<Worker>} */
  #workers = new Set()
  #onWorker = guarded(worker => outsideRequest(() => this.#add(worker)))

  /** @param {{ isOwn: (worker: Worker) => boolean }} parts  isOwn: whether it is loopscope's observer */
  constructor ({ isOwn }) {
    this.#isOwn = isOwn
  }

  get count () { return this.#workers.size }

  start () {
    process.on('worker', this.#onWorker)
  }

  stop () {
    process.off('worker', this.#onWorker)
    this.#workers.clear()
  }

  /** @returns {Promise<WorkerHeap[]>} */
  read () {
    return Promise.all([...this.#workers].map(readWorker))
  }

  /** @param {Worker} worker */
  #add (worker) {
    if (this.#isOwn(worker)) return
    this.#workers.add(worker)
    worker.once('exit', guarded(() => { this.#workers.delete(worker) }))
  }
}

/** @param {Worker} worker @returns {Promise<WorkerHeap>} */
async function readWorker (worker) {
  const heap = await statisticsOf(worker)
  return {
    threadId: worker.threadId,
    name: nameOf(worker),
    usedBytes: heap?.used_heap_size ?? null,
    committedBytes: heap?.total_physical_size ?? null,
    externalBytes: heap?.external_memory ?? null
  }
}

/**
 * @param {Worker & { getHeapStatistics?: () => Promise<import('node:v8').HeapInfo & { external_memory?: number }> }} worker
 * @returns {Promise<(import('node:v8').HeapInfo & { external_memory?: number }) | null>}
 */
async function statisticsOf (worker) {
  if (typeof worker.getHeapStatistics !== 'function') return null
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise(resolve => { timer = setTimeout(guarded(() => resolve(null)), ANSWER_MS) })
  const heap = await Promise.race([worker.getHeapStatistics().catch(() => null), late]) // it may just have ended
  clearTimeout(timer)
  return heap
}

/** @param {Worker & { threadName?: string | null }} worker */
function nameOf ({ threadName, threadId }) {
  return threadName && threadName !== 'WorkerThread' ? threadName.slice(0, MAX_NAME) : `worker ${threadId}`
}

module.exports = { WorkerHeaps }
