'use strict'

// Compares heap snapshots of the store for the admin surface, in a thread of its own: one comparison at a time, and only if there is enough
// memory. The thread ends with the comparison, or when the caller cancels it.

const fs = require('node:fs')
const { Worker } = require('node:worker_threads')
const { errors } = require('../../base/errors')
const { answerOfThread, threadFile, threadFlags } = require('../../base/own-files')
const { readMemoryRoom } = require('../../base/system/memory-room')
const { MEMORY_SHARE } = require('./snapshot/admission')

/** @typedef {'json' | 'text' | 'html'} ReportFormat */

// Measured: 563 MB at most for files of 97 and 159 MB; the rest is for heaps with more edges.
const MEMORY_PER_FILE_BYTE = 3
const MB = 1e6

/** @param {{ memoryRoom?: typeof readMemoryRoom, observerFile?: string }} [parts]  observerFile: the option of that name */
function createComparisons ({ memoryRoom = readMemoryRoom, observerFile } = {}) {
  let isBusy = false
  /**
   * @param {{ files: string[], format: ReportFormat }} order  files: oldest first
   * @param {AbortSignal} signal
   * @returns {Promise<Uint8Array>}
   * @throws ERR_LOOPSCOPE_COMPARISON_BUSY, ERR_LOOPSCOPE_COMPARISON_REFUSED, ERR_LOOPSCOPE_INVALID_SNAPSHOT
   */
  async function compare (order, signal) {
    if (isBusy) throw new errors.ERR_LOOPSCOPE_COMPARISON_BUSY()
    assertRoom(order.files, memoryRoom())
    isBusy = true
    try {
      return await runWorker(threadFile(observerFile), order, signal)
    } finally {
      isBusy = false
    }
  }
  return { compare }
}

/** @param {string[]} files @param {ReturnType<typeof readMemoryRoom>} room */
function assertRoom (files, { freeBytes, basis }) {
  const needBytes = Math.max(...files.map(file => fs.statSync(file).size)) * MEMORY_PER_FILE_BYTE
  const mayBytes = freeBytes * MEMORY_SHARE
  if (needBytes <= mayBytes) return
  const [need, may] = [needBytes, mayBytes].map(bytes => `${(bytes / MB).toFixed(0)} MB`)
  const reason = `memory: needs ${need}, may take ${may} (${MEMORY_SHARE * 100} % of what is free by ${basis})`
  throw new errors.ERR_LOOPSCOPE_COMPARISON_REFUSED(reason)
}

/**
 * @param {string} file
 * @param {{ files: string[], format: ReportFormat }} order
 * @param {AbortSignal} signal
 * @returns {Promise<Uint8Array>}
 */
async function runWorker (file, order, signal) {
  signal.throwIfAborted()
  const worker = new Worker(file, {
    workerData: { comparison: order },
    execArgv: threadFlags(),
    env: {},
    stdout: true,
    stderr: true,
    name: 'loopscope comparison'
  })
  const { bytes } = await answerOfThread(worker, signal, 'the comparison ended without a result')
  return bytes
}

module.exports = { createComparisons }
