'use strict'

// Worker thread that reads the base snapshots of a comparison while another thread reads the newest one.

const { parentPort, workerData } = require('node:worker_threads')
const { unattended } = require('../../base/guard')
const { loadBaseSnapshot } = require('./load-snapshots')

/** @param {{ files: readonly string[], isClassic?: boolean }} order */
async function load ({ files, isClassic }) {
  const bases = []
  try {
    for (const file of files) bases.push(await loadBaseSnapshot(file, { isClassic }))
  } catch (/** @type {any} */ error) {
    // These fields of an error are lost when it is sent to another thread.
    const { code, message, syscall, path } = error
    return parentPort?.postMessage({ error: { code, message, syscall, path } })
  }
  const arrays = bases.flatMap(({ baseline: { id, size, classOf, end } }) => [id, size, classOf, end])
  const buffers = new Set(arrays.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer))) // the arrays of an index share one buffer
  parentPort?.postMessage({ bases }, [...buffers])
}

unattended(load(workerData)) // without a message the waiting side sees the thread end
