'use strict'

// Worker thread that runs one comparison of heap snapshots.

const { parentPort, workerData } = require('node:worker_threads')
const { unattended } = require('../base/guard')
const { compareFiles } = require('./comparison/compare-files')
const { readSource } = require('./suspects/places')

/** @import { HeapReport } from './comparison/compare-files' */

/** @type {Record<string, (report: HeapReport) => Uint8Array>} */
const RENDER = {
  json: report => Buffer.from(JSON.stringify(report)),
  text: report => Buffer.from(`${require('./report').reportLines(report).join('\n')}\n`),
  html: report => require('./report').renderReport(report)
}

/** @param {{ files: string[], format: string }} order */
async function run ({ files, format }) {
  try {
    const report = await compareFiles(files, { readSource })
    return { bytes: Uint8Array.from(RENDER[format](report)) }
  } catch (/** @type {any} */ error) {
    return { error: { code: error.code, message: error.message } }
  }
}

unattended(run(workerData.comparison).then(message => parentPort?.postMessage(message))) // without a message the waiting side sees the end
