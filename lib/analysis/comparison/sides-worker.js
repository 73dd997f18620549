'use strict'

// The thread that reads the older snapshots of a comparison while the newest is read.

const { parentPort, workerData } = require('node:worker_threads')
const { unattended } = require('../../shared/base/guard')
const { loadSide } = require('./load-snapshots')

/** @param {{ files: readonly string[], isClassic?: boolean }} order */
async function load ({ files, isClassic }) {
  const sides = []
  try {
    for (const file of files) sides.push(await loadSide(file, { isClassic }))
  } catch (/** @type {any} */ error) {
    // What says what went wrong does not cross threads with an error.
    const { code, message, syscall, path } = error
    return parentPort?.postMessage({ error: { code, message, syscall, path } })
  }
  const arrays = sides.flatMap(({ baseline: { id, size, classOf, end } }) => [id, size, classOf, end])
  const buffers = new Set(arrays.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer))) // those of an index share one
  parentPort?.postMessage({ sides }, [...buffers])
}

unattended(load(workerData)) // without a message the one who waits sees the end
