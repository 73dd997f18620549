'use strict'

// Memory of the observer thread of this process. To be required before loopscope: it looks at the threads that are started.

const threads = require('node:worker_threads')

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

/** @returns {Promise<{ observerBytes: number, rssBytes: number }>} observerBytes: what is left after a collection; 0: there is none */
async function readMemory () {
  const rssBytes = process.memoryUsage.rss() // first: the snapshot takes memory too
  if (observer === undefined) return { observerBytes: 0, rssBytes }
  const snapshot = await observer.getHeapSnapshot() // collects all garbage
  snapshot.destroy()
  const { used_heap_size: used, external_memory: external } = await /** @type {any} */ (observer).getHeapStatistics()
  return { observerBytes: used + external, rssBytes }
}

module.exports = { readMemory }
