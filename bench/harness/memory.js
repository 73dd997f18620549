'use strict'

// Memory of this process, of its main thread and of the observer. To be required before loopscope: it looks at the threads that are started.

const threads = require('node:worker_threads')
const { collectGarbage } = require('./collect-garbage')

const { Worker } = threads

/** @type {import('node:worker_threads').Worker | undefined} */
let observer

threads.Worker = class extends Worker {
  /** @param {ConstructorParameters<typeof Worker>} args */
  constructor (...args) {
    super(...args)
    observer = this
  }
}

/**
 * @typedef {object} Memory
 * @property {number} observerBytes  what its heap holds after a collection, and the memory outside of it; 0: there is none
 * @property {number} mainBytes      the same of the main thread
 * @property {number} rssBytes       valid when it is asked for the first time: what comes after it is more by a heap snapshot
 */

/** @returns {Promise<Memory>} */
async function readMemory () {
  const rssBytes = process.memoryUsage.rss()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return { observerBytes: await readObserverBytes(), mainBytes: heapUsed + external, rssBytes }
}

async function readObserverBytes () {
  if (observer === undefined) return 0
  const snapshot = await observer.getHeapSnapshot() // collects all garbage
  snapshot.destroy()
  const { used_heap_size: used, external_memory: external } = await /** @type {any} */ (observer).getHeapStatistics()
  return used + external
}

module.exports = { readMemory }
