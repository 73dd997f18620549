'use strict'

// OpenTelemetry's active span, where an SDK runs in this process, and stalls in its traces. Nothing is required for it: every copy of @opentelemetry/api 1.x finds
// what an SDK registered in one global of the process, and the span of a context under one symbol.

const { name, version } = require('../../package.json')

/** @import { Stall } from '../../types/diagnostics' */

/**
 * @typedef {object} Span  the part of OpenTelemetry's that is used
 * @property {() => { traceId: string, spanId: string, traceFlags?: number }} spanContext
 * @property {() => boolean} isRecording
 * @property {(name: string, attributes: Record<string, string | number>, time: Date) => unknown} addEvent
 */

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')
const SAMPLED = 1
const STALL = 'event_loop.stall'

/** Whether there may be spans: an SDK keeps contexts. */
function hasContexts () {
  return contexts() !== undefined
}

/**
 * Of the running code; it answers in the middle of it as well, for it only reads.
 * @returns {Span | null}
 */
function activeSpan () {
  try {
    return contexts()?.active().getValue(SPAN) ?? null
  } catch {
    return null // another version of an SDK, or something else under that name
  }
}

/**
 * A span of the past below another one, which may be over; none where the SDK does not keep that one's trace.
 * @param {Span} parent
 * @param {string} title
 * @param {{ attributes: Record<string, string | number>, fromMs: number, toMs: number }} what  milliseconds since the epoch
 */
function addSpan (parent, title, { attributes, fromMs, toMs }) {
  if (((parent.spanContext().traceFlags ?? 0) & SAMPLED) === 0) return
  const tracer = /** @type {any} */ (globalThis)[API]?.trace?.getTracer(name, version)
  tracer?.startSpan(title, { attributes, startTime: new Date(fromMs) }, contexts().active().setValue(SPAN, parent)).end(new Date(toMs))
}

function contexts () {
  return /** @type {any} */ (globalThis)[API]?.context
}

/**
 * A stall in the trace of the work that it held up: an event of its span. A span that has ended takes no more events, and one that was held up
 * until it was answered has ended before the stall is explained: then the stall is a span below it. Never throws.
 * @param {Span[]} spans  of the work that was held up, innermost first: the first that is still open gets it
 * @param {Stall} stall
 */
function addStallToTrace (spans, stall) {
  try {
    const open = spans.find(span => span.isRecording())
    if (open !== undefined) open.addEvent(STALL, attributesOf(stall), new Date(stall.at))
    else if (spans.length > 0) addSpan(spans[0], STALL, { attributes: attributesOf(stall), fromMs: stall.at, toMs: stall.at + stall.durationMs })
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

module.exports = { activeSpan, hasContexts, addStallToTrace }
