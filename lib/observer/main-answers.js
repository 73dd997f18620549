'use strict'

// What the observer may ask the main thread about the process: a table of questions. The applications' own are in
// admin/sites.js.

/**
 * @param {object} parts
 * @param {() => object} parts.delaySummary
 * @param {() => object} parts.syncCalls
 * @param {() => object} parts.memory
 * @param {(order: any) => object} parts.takeSnapshot
 * @returns {Record<string, (argument: any) => unknown>}
 */
function createMainAnswers ({ delaySummary, syncCalls, memory, takeSnapshot }) {
  return { loop: delaySummary, syncCalls, memory, takeSnapshot, report: makeReport }
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

module.exports = { createMainAnswers }
