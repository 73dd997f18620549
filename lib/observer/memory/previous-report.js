'use strict'

// Finds the memory report that a process of this application left before this one started, and that no longer runs: it probably died of what is in it.

const { readRegularText } = require('../../base/regular-file')
const { isAlive, processStart } = require('../../base/system/process-ids')
const { KIND, MAX_BYTES } = require('./memory-report')

/** @import { MemoryReport, PreviousMemoryReport } from '../../../types/memory' */
/** @import { StoredArtifact } from '../store/artifact-files' */

const MAX_AGE_MS = 12 * 3600_000 // there is one report per episode, and the last tenth may take a slow leak hours
const MAX_READ = 16 // of processes that run beside this one

/**
 * @param {{ list (): StoredArtifact[] }} store
 * @param {number} startedAt  of this process, milliseconds since the epoch
 * @returns {PreviousMemoryReport | null}
 */
function readPreviousReport (store, startedAt) {
  const found = store.list().filter(({ kind, at }) => kind === KIND && at < startedAt && startedAt - at <= MAX_AGE_MS) // newest first
  for (const { name, path } of found.slice(0, MAX_READ)) {
    const report = readReport(path)
    if (report !== null && !isRunning(report)) return { name, path, report }
  }
  return null
}

/**
 * @param {string} path
 * @returns {MemoryReport | null}
 */
function readReport (path) {
  try {
    const report = JSON.parse(readRegularText(path, { maxBytes: MAX_BYTES }))
    return isReport(report) ? report : null
  } catch {
    return null // gone, or not one
  }
}

/**
 * Other workers of a cluster write into the same store. A restarted container has the same process ids again, also this one's.
 * @param {MemoryReport} report
 */
function isRunning ({ pid, start }) {
  return pid !== process.pid && isAlive(pid) && processStart(pid) === start
}

/**
 * @param {any} report
 * @returns {report is MemoryReport}
 */
function isReport (report) {
  return report?.version === 1 && Number.isSafeInteger(report.pid) && report.pid > 0 && Array.isArray(report.owners) && Array.isArray(report.growing) && Number.isFinite(report.limit?.usedBytes) && Number.isFinite(report.limit?.limitBytes) &&
    (report.sites === undefined || Array.isArray(report.sites.sites))
}

module.exports = { readPreviousReport }
