'use strict'

// OpenTelemetry's active span, where an SDK runs in this process. Nothing is required for it: every copy of @opentelemetry/api 1.x finds
// what an SDK registered in one global of the process, and the span of a context under one symbol.

const { name, version } = require('../../../package.json')

/**
 * @typedef {object} Span  the part of OpenTelemetry's that is used
 * @property {() => { traceId: string, spanId: string, traceFlags?: number }} spanContext
 * @property {() => boolean} isRecording
 * @property {(name: string, attributes: Record<string, string | number>, time: Date) => unknown} addEvent
 */

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')
const SAMPLED = 1

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

module.exports = { activeSpan, addSpan, hasContexts }
