'use strict'

// Formats a stall for the log: the message, with the evidence for its cause, and the structured fields.

const { isInPackage, showPosition } = require('../../formats/profile/frame')
const { nameOfCulprit } = require('./handler-name')

/** @import { Cause, Culprit, Stall, StallEvidence } from '../../../types/diagnostics' */

/** @typedef {(evidence: StallEvidence, durationMs: number) => (string | false)[]} Describe  false: no text */

const LOGGED_FRAMES = 10 // of the stack, innermost first; enough to include the handler and the router that called it

const NOTHING = () => []

/**
 * The evidence of each cause, as text, in the order of the documentation. observer/stalls/judge-cause.js determines the cause.
 * @type {Readonly<Record<Cause, Describe>>}
 */
const CAUSES = Object.freeze({
  code: NOTHING, // the culprit is the evidence
  gc: ({ gcMs }) => [
    !!gcMs && `${Math.round(gcMs)} ms of garbage collection`
  ],
  starved: ({ runQueueMs, throttledMs }) => [
    !!runQueueMs && `waited ${Math.round(runQueueMs)} ms for a CPU`,
    !!throttledMs && `throttled for ${Math.round(throttledMs)} ms by the CPU quota`
  ],
  suspended: NOTHING,
  unknown: (evidence, durationMs) => [
    isUndecided(evidence) && `${mostLikely(evidence, durationMs)}, or no CPU time available: this system does not report which`
  ]
})

/**
 * Whether the cause is unknown because the system does not report how long a thread waits for a CPU (macOS, Windows, no /proc).
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
 * The fields of the log line: the stall, with a shortened stack, because a full one makes lines of 7 KB that fill the pipe of a slow reader; and
 * the ids of the trace, named as log collectors and OpenTelemetry name them.
 * @template {{ stack: Stall['stack'], trace: Stall['trace'] }} T
 * @param {T} stall
 */
function toLogFields (stall) {
  const { stack, trace } = stall
  return {
    ...(trace !== null && { trace_id: trace.traceId, span_id: trace.spanId }),
    stall: { ...stall, stack: stack.slice(0, LOGGED_FRAMES) }
  }
}

/**
 * The message of the log line.
 * @param {Stall} stall
 */
function describeStall ({ durationMs, startingUp, cause, route, culprit, stack, evidence }) {
  const what = `event loop stalled ${durationMs} ms`
  const where = `${route === null ? '' : ` in ${route}`}${startingUp ? ' while starting up' : ''}`
  const figures = describeEvidence(cause, evidence, durationMs)
  const why = figures === '' ? cause : `${cause} (${figures})`
  if (culprit === null) return `${what}${where}: ${why}`
  return `${what}${where}: ${describeCulprit(culprit, { route, stack })}, cause ${why}`
}

/**
 * From the call that took the time to the line of the application to change.
 * @param {Culprit} culprit
 * @param {Pick<Stall, 'route' | 'stack'>} stall
 */
function describeCulprit (culprit, stall) {
  const { call, via, file } = culprit
  const name = nameOfCulprit(culprit, stall)
  const through = via?.through ? `, through ${via.through.package} ${via.through.function}` : ''
  const place = file === '' ? name : `${name} (${showPosition(culprit)})`
  // If no function of the application is on the stack, the culprit is a function of the dependency.
  if (isInPackage(file)) return `${call === null ? '' : `${call} called by `}${place}${through}`
  const entered = via && `${via.package} ${via.function}${through}`
  const called = [call, entered].filter(Boolean).join(' by ')
  return called === '' ? place : `${called}${through === '' ? '' : ','} called by ${place}`
}

/**
 * @param {Cause} cause
 * @param {StallEvidence} evidence
 * @param {number} durationMs
 * @returns {string} empty if there are no figures for the cause
 */
function describeEvidence (cause, evidence, durationMs) {
  return CAUSES[cause](evidence, durationMs).filter(Boolean).join(', ')
}

module.exports = { CAUSE_NAMES, describeCulprit, describeStall, isUndecided, toLogFields }
