'use strict'

// Describes what a request under way does or waits for, as one short sentence. Pure; it requires nothing, because the page loads this file as a
// script (html-page.js).

/** @import { RequestInFlight } from '../../../types/requests' */

/** @param {Pick<RequestInFlight, 'route' | 'method'>} request */
function describeRoute ({ route, method }) {
  return route ?? `${method} (route not known yet)`
}

/**
 * @param {Pick<RequestInFlight, 'state' | 'waits'>} request
 * @param {string} where  the place of the running code; '': not known
 */
function describeState ({ state, waits }, where) {
  if (state === 'running') return where === '' ? 'running' : `running ${where}`
  if (state === 'sending') return waits.length === 0 ? 'sending the response' : `sending the response, waiting for ${describeCalls(waits)}`
  if (state === 'receiving') return 'waiting for the client to send the rest of the request'
  if (state === 'waiting') return waits.length === 0 ? 'waiting (no known call)' : `waiting for ${describeCalls(waits)}`
  return 'waiting for the event loop'
}

/** @param {RequestInFlight['waits']} waits */
function describeCalls ([longest, ...others]) {
  const { kind, operation, target, calls, ms } = longest
  const count = calls === 1 ? '' : ` (${calls} calls)`
  return `${kind} ${operation} ${target}${count} for ${showMs(ms)}${others.length === 0 ? '' : ` and ${others.length} more`}`
}

/** @param {number} ms */
function showMs (ms) {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1e3).toFixed(1)} s`
}

module.exports = { describeRoute, describeState }
