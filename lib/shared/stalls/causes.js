'use strict'

// Why the loop was late: the table of causes, in the order of the documentation, with the figures that the log line gives as evidence
// of each. Which of them it was is judged in observer/stalls/judge-cause.js.

/** @import { Cause, StallEvidence } from '../../../types/diagnostics' */

/** @typedef {(evidence: StallEvidence) => (string | false)[]} Describe  false: nothing to say */

const NOTHING = () => []

/** @type {Readonly<Record<Cause, Describe>>} */
const CAUSES = Object.freeze({
  code: NOTHING, // the culprit is the evidence
  gc: ({ gcMs }) => [
    !!gcMs && `${Math.round(gcMs)} ms of garbage collection`
  ],
  starved: ({ runQueueMs, throttledMs }) => [
    !!runQueueMs && `waited ${Math.round(runQueueMs)} ms for a CPU`,
    !!throttledMs && `held back ${Math.round(throttledMs)} ms by the CPU quota`
  ],
  suspended: NOTHING,
  unknown: NOTHING
})

const CAUSE_NAMES = /** @type {readonly Cause[]} */ (Object.keys(CAUSES))

/**
 * @param {Cause} cause
 * @param {StallEvidence} evidence
 * @returns {string} empty when the figures say nothing about it
 */
function describeEvidence (cause, evidence) {
  return CAUSES[cause](evidence).filter(Boolean).join(', ')
}

module.exports = { CAUSE_NAMES, describeEvidence }
