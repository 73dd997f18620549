'use strict'

// Worker thread that runs one comparison of heap snapshots.

const { fileURLToPath } = require('node:url')
const { parentPort, workerData } = require('node:worker_threads')
const { unattended } = require('../base/guard')
const { compareFiles } = require('./comparison/compare-files')
const { readRegularText } = require('../base/regular-file')

/** @import { HeapReport } from './comparison/compare-files' */

const MAX_SOURCE_BYTES = 100 * 1024 * 1024

/** @type {Record<string, (report: HeapReport) => Uint8Array>} */
const RENDER = {
  json: report => Buffer.from(JSON.stringify(report)),
  text: report => Buffer.from(`${require('./report').reportLines(report).join('\n')}\n`),
  html: report => require('./report').renderReport(report)
}

/** @param {string} file  path or URL, as in the snapshot: the code runs on this machine */
function readSource (file) {
  try {
    return readRegularText(file.startsWith('file:') ? fileURLToPath(file) : file, { maxBytes: MAX_SOURCE_BYTES })
  } catch {
    return null
  }
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
