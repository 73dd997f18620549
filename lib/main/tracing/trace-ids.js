'use strict'

// The two ids of a trace, from whoever says them. Pure.

/** @import { Trace } from '../../../types/diagnostics' */

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/

// Version, trace id, id of the caller's span, flags. A later version may add to it, behind another hyphen.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const INVALID_VERSION = 'ff'
const FIRST_VERSION = '00'

/**
 * @param {unknown} traceId
 * @param {unknown} spanId
 * @returns {Trace | null} null for what is no id, all zeros included
 */
function toTrace (traceId, spanId) {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return null
  return TRACE_ID.test(traceId) && SPAN_ID.test(spanId) ? { traceId, spanId } : null
}

/**
 * By W3C Trace Context.
 * @param {unknown} header  of the name traceparent
 * @returns {Trace | null}
 */
function parseTraceparent (header) {
  const [, version, traceId, spanId, rest] = (typeof header === 'string' && TRACEPARENT.exec(header)) || []
  if (version === INVALID_VERSION || (version === FIRST_VERSION && rest !== undefined)) return null
  return toTrace(traceId, spanId)
}

module.exports = { parseTraceparent, toTrace }
