'use strict'

// A stall in the trace of the work that it held up: an event of its span. A span that has ended takes no more events, and one that was held
// up until it was answered has ended before the stall is explained: then the stall is a span below it.

const { addSpan } = require('./open-telemetry')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { Span } from './open-telemetry' */

const NAME = 'event_loop.stall'

/**
 * Never throws.
 * @param {Span[]} spans  of the work that was held up, innermost first: the first that is still open gets it
 * @param {Stall} stall
 */
function tellTrace (spans, stall) {
  try {
    const open = spans.find(span => span.isRecording())
    if (open !== undefined) open.addEvent(NAME, attributesOf(stall), new Date(stall.at))
    else if (spans.length > 0) addSpan(spans[0], NAME, { attributes: attributesOf(stall), fromMs: stall.at, toMs: stall.at + stall.durationMs })
  } catch {} // a span of somebody else's making
}

/**
 * Names and units of OpenTelemetry's semantic conventions, where they have one.
 * @param {Stall} stall
 */
function attributesOf ({ durationMs, cause, culprit, route }) {
  return {
    'event_loop.stall.duration': durationMs / 1e3,
    'event_loop.stall.cause': cause,
    ...(route !== null && routeAttributes(route)),
    ...(culprit !== null && culpritAttributes(culprit))
  }
}

/** @param {string} route  a method and a template, the latter being '_unmatched' where there is none */
function routeAttributes (route) {
  const space = route.indexOf(' ')
  const template = route.slice(space + 1)
  return { 'http.request.method': route.slice(0, space), ...(template.startsWith('/') && { 'http.route': template }) }
}

/** @param {NonNullable<Stall['culprit']>} culprit */
function culpritAttributes ({ function: name, file, line, column, call }) {
  return {
    'code.function.name': name,
    ...(file !== '' && { 'code.file.path': file, 'code.line.number': line, 'code.column.number': column }),
    ...(call !== null && { 'event_loop.stall.call': call })
  }
}

module.exports = { tellTrace }
