'use strict'

// Asks a thread of its own about source maps: reading one of tens of megabytes takes a second and hundreds of megabytes, and the
// observer has a main thread to watch. The thread ends with its answer, and gives its memory back; one that takes too much of time or memory is ended.

const { Worker } = require('node:worker_threads')
const { guarded } = require('../base/guard')
const { threadFile, threadFlags } = require('../base/own-files')
const { readMemoryRoom } = require('../system/memory-room')

/** @import { Answer, Question } from '../../analysis/source-maps/answer' */

const MAX_MS = 20_000
const MAX_HEAP_MB = 1600 // what a map of 100 MB takes, and a little
const MEMORY_SHARE = 0.5 // of what is free: the application goes on allocating meanwhile

/**
 * @param {Pick<Question, 'scripts' | 'appRoot'>} question
 * @param {{ observerFile?: string, maxMs?: number }} [options]  observerFile: option
 * @returns {Promise<Answer[]>} rejects when there is none
 */
function askThread (question, { observerFile, maxMs = MAX_MS } = {}) {
  return new Promise((resolve, reject) => {
    const mayBytes = readMemoryRoom().freeBytes * MEMORY_SHARE
    const worker = new Worker(threadFile(observerFile), {
      name: 'loopscope source maps',
      workerData: { sourceMapQuestion: { ...question, mayBytes } },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      execArgv: threadFlags(),
      env: {},
      stdout: true,
      stderr: true
    })
    const timer = setTimeout(guarded(() => worker.terminate()), maxMs)
    worker.once('message', guarded(resolve))
    worker.once('error', reject)
    worker.once('exit', guarded(() => {
      clearTimeout(timer)
      reject(new Error('the thread ended without an answer'))
    }))
  })
}

module.exports = { askThread }
