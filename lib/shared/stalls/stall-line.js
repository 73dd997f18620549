'use strict'

// A stall as the log shows it: the line for a person, and the data beside it.

const { showPosition } = require('../formats/profile/frame')
const { describeEvidence } = require('./causes')

/** @import { Culprit, Stall } from '../../../types/diagnostics' */

const LOGGED_FRAMES = 10 // of the stack, innermost first: down to the handler and the router that called it

/**
 * The report as it goes into a log: whole stacks make lines of 7 KB, which is long enough to fill a pipe that is read slowly.
 * @template {{ stack: Stall['stack'] }} T
 * @param {T} stall
 * @returns {T}
 */
function toLogFields (stall) {
  return { ...stall, stack: stall.stack.slice(0, LOGGED_FRAMES) }
}

/**
 * One line for a person.
 * @param {Stall} stall
 */
function describeStall ({ durationMs, cause, route, culprit, evidence }) {
  const what = `event loop stalled ${durationMs} ms`
  const where = route === null ? '' : ` in ${route}`
  const figures = describeEvidence(cause, evidence)
  const why = figures === '' ? cause : `${cause} (${figures})`
  if (culprit === null) return `${what}${where}: ${why}`
  return `${what}${where}: ${describeCulprit(culprit)}, cause ${why}`
}

/**
 * From what took the time to the line that is to be mended.
 * @param {Culprit} culprit
 */
function describeCulprit (culprit) {
  const { call, via, function: name, file } = culprit
  const entered = via && `${via.package} ${via.function}`
  const called = [call, entered].filter(Boolean).join(' by ')
  const place = file === '' ? name : `${name} (${showPosition(culprit)})`
  return called === '' ? place : `${called} called by ${place}`
}

module.exports = { describeCulprit, describeStall, toLogFields }
