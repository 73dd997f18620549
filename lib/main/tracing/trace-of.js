'use strict'

// The trace that a request belongs to: by OpenTelemetry's span of it, else by the header that came with it. Nothing throws, and nothing is
// read before somebody asks, but for the span, which can only be met while its context is active.

const { activeSpan } = require('./open-telemetry')
const { parseTraceparent, toTrace } = require('./trace-ids')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Trace } from '../../../types/diagnostics' */
/** @import { Span } from './open-telemetry' */

// On the request itself, as its template: a look into a map would be paid by every request. Copies of this package share it.
const SPAN = Symbol.for('loopscope.span')

/**
 * To be called while the code of a request runs: it keeps the span for later.
 * @param {any} request
 */
function noteSpan (request) {
  putSpan(request, activeSpan())
}

/**
 * @param {any} request  also what stands in for one
 * @param {Span | null} span
 */
function putSpan (request, span) {
  if (span !== null) request[SPAN] = span
}

/**
 * @param {IncomingMessage | undefined} request  also what stands in for one; undefined outside requests
 * @param {Span | null} [seen]  that was active while it was worked on
 * @returns {Trace | null} spanId: of the span, and with a header alone of the caller's
 */
function traceOf (request, seen = null) {
  for (const span of spansOf(request, seen)) {
    const trace = traceOfSpan(span)
    if (trace !== null) return trace
  }
  return parseTraceparent(request?.headers?.traceparent)
}

/**
 * @param {any} request
 * @param {Span | null} [seen]
 * @returns {Span[]} innermost first
 */
function spansOf (request, seen = null) {
  return [seen, request?.[SPAN] ?? null].filter(span => span !== null)
}

/** @param {Span} span */
function traceOfSpan (span) {
  try {
    const { traceId, spanId } = span.spanContext()
    return toTrace(traceId, spanId)
  } catch {
    return null
  }
}

module.exports = { noteSpan, putSpan, spansOf, traceOf }
