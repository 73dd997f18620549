'use strict'

// A stall as the log shows it: the line for a person, with the figures that are the evidence of its cause, and the data beside it.

const { isInPackage, showPosition } = require('../formats/profile/frame')
const { nameOfCulprit } = require('./handler-name')

/** @import { Cause, Culprit, Stall, StallEvidence } from '../../../types/diagnostics' */

/** @typedef {(evidence: StallEvidence) => (string | false)[]} Describe  false: nothing to say */

const LOGGED_FRAMES = 10 // of the stack, innermost first: down to the handler and the router that called it

const NOTHING = () => []

/**
 * Why the loop was late, in the order of the documentation. Which of them it was is judged in observer/stalls/judge-cause.js.
 * @type {Readonly<Record<Cause, Describe>>}
 */
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
 * The fields of the line: the report, whose whole stack would make it 7 KB long, enough to fill a pipe that is read slowly; and the ids of the
 * trace where those who gather logs look for them, as OpenTelemetry calls them.
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
 * One line for a person.
 * @param {Stall} stall
 */
function describeStall ({ durationMs, startingUp, cause, route, culprit, stack, evidence }) {
  const what = `event loop stalled ${durationMs} ms`
  const where = `${route === null ? '' : ` in ${route}`}${startingUp ? ' while starting up' : ''}`
  const figures = describeEvidence(cause, evidence)
  const why = figures === '' ? cause : `${cause} (${figures})`
  if (culprit === null) return `${what}${where}: ${why}`
  return `${what}${where}: ${describeCulprit(culprit, { route, stack })}, cause ${why}`
}

/**
 * From what took the time to the line that is to be mended.
 * @param {Culprit} culprit
 * @param {Pick<Stall, 'route' | 'stack'>} stall
 */
function describeCulprit (culprit, stall) {
  const { call, via, file } = culprit
  const name = nameOfCulprit(culprit, stall)
  const through = via?.through ? `, through ${via.through.package} ${via.through.function}` : ''
  const place = file === '' ? name : `${name} (${showPosition(culprit)})`
  // Where the application has no function on the stack the culprit is the dependency's own.
  if (isInPackage(file)) return `${call === null ? '' : `${call} called by `}${place}${through}`
  const entered = via && `${via.package} ${via.function}${through}`
  const called = [call, entered].filter(Boolean).join(' by ')
  return called === '' ? place : `${called}${through === '' ? '' : ','} called by ${place}`
}

/**
 * @param {Cause} cause
 * @param {StallEvidence} evidence
 * @returns {string} empty when the figures say nothing about it
 */
function describeEvidence (cause, evidence) {
  return CAUSES[cause](evidence).filter(Boolean).join(', ')
}

module.exports = { CAUSE_NAMES, describeCulprit, describeStall, toLogFields }
