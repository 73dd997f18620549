'use strict'

// The trace of a request: from its OpenTelemetry span, otherwise from its traceparent header. Nothing throws, and nothing is read before it is
// needed, except the span, which is available only while its context is active.

const { guarded } = require('../base/guard')
const { activeSpan, hasContexts } = require('./open-telemetry')

/** @import { IncomingMessage, Server } from 'node:http' */
/** @import { Trace } from '../../types/diagnostics' */
/** @import { Span } from './open-telemetry' */

// On the request itself, like its template: a map lookup would cost every request. Copies of this package share it.
const SPAN = Symbol.for('loopscope.span')

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/

// Version, trace id, id of the caller's span, flags. A later version may append fields after another hyphen.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const INVALID_VERSION = 'ff'
const FIRST_VERSION = '00'

/** Call it while the code of a request runs: it keeps the span for later. @param {any} request */
function noteSpan (request) {
  putSpan(request, activeSpan())
}

/**
 * @param {any} request  or its stand-in
 * @param {Span | null} span
 */
function putSpan (request, span) {
  if (span !== null) request[SPAN] = span
}

/**
 * @param {IncomingMessage | undefined} request  or its stand-in; undefined outside requests
 * @param {Span | null} [seen]  that was active while it was handled
 * @returns {Trace | null} spanId: the span's; with only a header, the caller's
 */
function traceOf (request, seen = null) {
  for (const span of spansOf(request, seen)) {
    const trace = traceOfSpan(span)
    if (trace !== null) return trace
  }
  return parseTraceparent(request?.headers?.traceparent)
}

/** @param {any} request @param {Span | null} [seen] @returns {Span[]} innermost first */
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

/**
 * @param {unknown} traceId
 * @param {unknown} spanId
 * @returns {Trace | null} null for an invalid id, all zeros included
 */
function toTrace (traceId, spanId) {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return null
  return TRACE_ID.test(traceId) && SPAN_ID.test(spanId) ? { traceId, spanId } : null
}

/**
 * Parses the header of W3C Trace Context.
 * @param {unknown} header  the traceparent header
 * @returns {Trace | null}
 */
function parseTraceparent (header) {
  const [, version, traceId, spanId, rest] = (typeof header === 'string' && TRACEPARENT.exec(header)) || []
  if (version === INVALID_VERSION || (version === FIRST_VERSION && rest !== undefined)) return null
  return toTrace(traceId, spanId)
}

/**
 * Notes the span of each request where OpenTelemetry is in use: it is active for a server's listeners, and not yet when node:diagnostics_channel
 * reports the request. Other processes get no listener.
 */
class RequestSpans {
  /** @type {Map<Server, () => void>} servers with loopscope's listener, and how to remove it */
  #servers = new Map()
  #note = guarded(noteSpan)

  /** @param {Server} server  with its first request, not yet passed to its listeners */
  watchServer (server) {
    if (!hasContexts() || this.#servers.has(server)) return
    const stop = guarded(() => {
      if (!this.#servers.delete(server)) return
      server.removeListener('request', this.#note)
      server.removeListener('close', stop)
    })
    this.#servers.set(server, stop)
    server.on('request', this.#note)
    server.on('close', stop)
  }

  stop () {
    for (const stop of this.#servers.values()) stop()
  }
}

module.exports = { RequestSpans, noteSpan, parseTraceparent, putSpan, spansOf, toTrace, traceOf }
