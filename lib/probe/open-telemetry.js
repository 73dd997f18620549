'use strict'

// Reads OpenTelemetry's active span where an SDK runs in this process, and adds stalls to its traces. It requires no package: every copy of
// @opentelemetry/api 1.x finds what an SDK registered in one global of the process, and the span of a context under one symbol.

const { name, version } = require('../../package.json')

/** @import { Stall } from '../../types/diagnostics' */

/**
 * @typedef {object} Span  the part of OpenTelemetry's Span that is used
 * @property {() => { traceId: string, spanId: string, traceFlags?: number }} spanContext
 * @property {() => boolean} isRecording
 * @property {(name: string, attributes: Record<string, string | number>, time: Date) => unknown} addEvent
 */

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')
const SAMPLED = 1
const STALL = 'event_loop.stall'

/** Whether there may be spans: an SDK has registered a context manager. */
function hasContexts () {
  return contexts() !== undefined
}

/** The MeterProvider of an SDK. @returns {{ getMeter (name: string, version: string): any } | undefined} */
function registeredMeters () {
  return /** @type {any} */ (globalThis)[API]?.metrics
}

/** The span of the running code. It only reads, so it also works in the middle of that code. @returns {Span | null} */
function activeSpan () {
  try {
    return contexts()?.active().getValue(SPAN) ?? null
  } catch {
    return null // another SDK version, or something else under that name
  }
}

/**
 * Adds a span in the past below another one, which may have ended; nothing where the SDK does not record that trace.
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
 * Adds a stall to the trace of the work that it delayed, as an event of its span. A span that has ended accepts no events, and a span that was
 * delayed until its response has ended before the stall is explained: then the stall becomes a span below it. Never throws.
 * @param {Span[]} spans  of the delayed work, innermost first: the first open one gets it
 * @param {Stall} stall
 */
function addStallToTrace (spans, stall) {
  try {
    const open = spans.find(span => span.isRecording())
    if (open !== undefined) open.addEvent(STALL, attributesOf(stall), new Date(stall.at))
    else if (spans.length > 0) addSpan(spans[0], STALL, { attributes: attributesOf(stall), fromMs: stall.at, toMs: stall.at + stall.durationMs })
  } catch {} // a third-party span implementation
}

/** Names and units follow OpenTelemetry's semantic conventions where they have one. @param {Stall} stall */
function attributesOf ({ durationMs, cause, culprit, route }) {
  return {
    'event_loop.stall.duration': durationMs / 1e3,
    'event_loop.stall.cause': cause,
    ...(route !== null && routeAttributes(route)),
    ...(culprit !== null && culpritAttributes(culprit))
  }
}

/**
 * @param {string} route  a method and a template, the latter being '_unmatched' where there is none; or that of a job
 * @returns {Record<string, string>}
 */
function routeAttributes (route) {
  const space = route.indexOf(' ')
  const template = route.slice(space + 1)
  if (route.startsWith('job ')) return { 'event_loop.stall.job': template }
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

module.exports = { activeSpan, hasContexts, registeredMeters, addStallToTrace }
