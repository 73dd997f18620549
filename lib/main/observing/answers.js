'use strict'

// What the main thread answers when the observer asks about the process. What it asks of an application is in admin/admin-serving.js.

const { takeSnapshot } = require('../heap/take-snapshot')
const { readScriptMaps } = require('../process/script-maps')

/** @import { DelaySummary, SyncCalls } from '../../../types/diagnostics' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { TakeOrder } from '../heap/take-snapshot' */

/**
 * @param {object} parts
 * @param {() => SyncCalls} parts.syncCalls
 * @param {() => object} parts.memory
 * @param {() => SlowRequest[]} parts.slowRequests
 * @param {<T>(work: () => T) => T} parts.exempt  does work of our own, which is no stall of the application
 */
function createAnswers ({ syncCalls, memory, slowRequests, exempt }) {
  return {
    syncCalls,
    memory,
    slowRequests,
    scriptMaps: (/** @type {{ urls: string[] }} */ { urls }) => exempt(() => readScriptMaps(urls)),
    takeSnapshot: (/** @type {TakeOrder} */ order) => exempt(() => takeSnapshot(order)),
    report: () => exempt(makeReport)
  }
}

/** Node's diagnostic report, without asking name servers who the peers of every socket are. */
function makeReport () {
  const { report } = /** @type {{ report: any }} */ (process)
  const { excludeNetwork } = report
  try {
    report.excludeNetwork = true
    return report.getReport()
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

module.exports = { createAnswers }
