'use strict'

// Finds the memory report that a process of this application left shortly before this one started: it probably died of what is in it.

const { readRegularText } = require('../../base/regular-file')
const { KIND, MAX_BYTES } = require('./memory-report')

/** @import { MemoryReport, PreviousMemoryReport } from '../../../types/memory' */
/** @import { StoredArtifact } from '../store/artifact-files' */

const MAX_AGE_MS = 3600_000

/**
 * @param {{ list (): StoredArtifact[] }} store
 * @param {number} startedAt  of this process, milliseconds since the epoch
 * @returns {PreviousMemoryReport | null}
 */
function readPreviousReport (store, startedAt) {
  const found = store.list().find(({ kind, at }) => kind === KIND && at < startedAt) // newest first
  if (found === undefined || startedAt - found.at > MAX_AGE_MS) return null
  try {
    const report = JSON.parse(readRegularText(found.path, { maxBytes: MAX_BYTES }))
    return isReport(report) ? { name: found.name, path: found.path, report } : null
  } catch {
    return null // gone, or not one
  }
}

/**
 * @param {any} report
 * @returns {report is MemoryReport}
 */
function isReport (report) {
  return report?.version === 1 && Array.isArray(report.owners) && Array.isArray(report.growing) && Number.isFinite(report.limit?.usedBytes) && Number.isFinite(report.limit?.limitBytes)
}

module.exports = { readPreviousReport }
