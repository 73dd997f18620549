'use strict'

// The causes of stalls, and the evidence for each as text. It requires nothing, because the page loads this file as a script (html-page.js).

/** @import { Cause, StallEvidence } from '../../../types/diagnostics' */

/** @typedef {(evidence: StallEvidence, durationMs: number) => (string | false)[]} Describe  false: no text */

const NOTHING = () => []

/**
 * The evidence of each cause, as text, in the order of the documentation. observer/stalls/judge-cause.js determines the cause.
 * @type {Readonly<Record<Cause, Describe>>}
 */
const CAUSES = Object.freeze({
  code: mostlyWaited, // otherwise the culprit is the evidence
  gc: (evidence, durationMs) => [
    !!evidence.gcMs && `${Math.round(evidence.gcMs)} ms of garbage collection`,
    ...mostlyWaited(evidence, durationMs)
  ],
  starved: waited,
  suspended: NOTHING,
  unknown: (evidence, durationMs) => [
    isUndecided(evidence) && `${mostLikely(evidence, durationMs)}, or no CPU time available: this system does not report which`
  ]
})

/** @type {Describe} */
function waited ({ runQueueMs, throttledMs }) {
  return [
    !!runQueueMs && `waited ${Math.round(runQueueMs)} ms for a CPU`,
    !!throttledMs && `throttled for ${Math.round(throttledMs)} ms by the CPU quota`
  ]
}

/**
 * Of a stall with another cause: code that ran long enough to stall the loop by itself, on a machine that made it last twice as long.
 * @type {Describe}
 */
function mostlyWaited (evidence, durationMs) {
  return (evidence.runQueueMs ?? 0) >= durationMs / 2 ? waited(evidence, durationMs) : []
}

/**
 * Whether the cause is unknown because it is not known how long the thread waited for a CPU: no system but Linux tells (/proc).
 * @param {StallEvidence} evidence  of a stall of unknown cause
 */
function isUndecided ({ cpuMs, runQueueMs, codeMs }) {
  return runQueueMs === null && (cpuMs !== null || codeMs !== null)
}

/**
 * What else it may have been. Of a thread that waits for a CPU, the samples show what it was about to do.
 * @param {StallEvidence} evidence
 * @param {number} durationMs
 */
function mostLikely ({ observerLateMs, codeMs, gcMs }, durationMs) {
  if ((observerLateMs ?? 0) >= durationMs / 2) return 'the process was suspended'
  return (gcMs ?? 0) > (codeMs ?? 0) ? 'garbage collection' : 'code'
}

const CAUSE_NAMES = /** @type {readonly Cause[]} */ (Object.keys(CAUSES))

/**
 * @param {Cause} cause
 * @param {StallEvidence} evidence
 * @param {number} durationMs
 * @returns {string} empty if there are no figures for the cause
 */
function describeEvidence (cause, evidence, durationMs) {
  return CAUSES[cause](evidence, durationMs).filter(Boolean).join(', ')
}

module.exports = { CAUSE_NAMES, describeEvidence, isUndecided }
