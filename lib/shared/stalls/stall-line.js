'use strict'

// Formats a stall for the log: the message, with the evidence for its cause, and the structured fields.

const { isInPackage, showEntrance, showPosition } = require('../../formats/profile/frame')
const { describeEvidence } = require('./evidence-text')
const { nameOfCulprit } = require('./handler-name')

/** @import { Culprit, Stall } from '../../../types/diagnostics' */

const LOGGED_FRAMES = 10 // of the stack, innermost first; enough to include the handler and the router that called it

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

/** The message of the log line. @param {Stall} stall */
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
  const through = via?.through ? `, through ${showEntrance(via.through)}` : ''
  const place = file === '' ? name : `${name} (${showPosition(culprit)})`
  // If no function of the application is on the stack, the culprit is a function of the dependency.
  if (isInPackage(file)) return `${call === null ? '' : `${call} called by `}${place}${through}`
  const entered = via && `${showEntrance(via)}${through}`
  const called = [call, entered].filter(Boolean).join(' by ')
  return called === '' ? place : `${called}${through === '' ? '' : ','} called by ${place}`
}

module.exports = { describeCulprit, describeStall, toLogFields }
