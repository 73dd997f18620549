'use strict'

// What the observer may ask the main thread about the process: a table of questions. The applications' own are in
// admin/sites.js.

const { takeSnapshot } = require('../heap/take-snapshot')

/**
 * @param {object} parts
 * @param {() => object} parts.delaySummary
 * @param {() => object} parts.syncCalls
 * @param {() => object} parts.memory
 * @param {<T>(work: () => T) => T} parts.exempt  does work of our own, which is no stall of the application
 * @returns {Record<string, (argument: any) => unknown>}
 */
function createMainAnswers ({ delaySummary, syncCalls, memory, exempt }) {
  return {
    loop: delaySummary,
    syncCalls,
    memory,
    takeSnapshot: order => exempt(() => takeSnapshot(order)),
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

module.exports = { createMainAnswers }
