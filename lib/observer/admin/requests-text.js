'use strict'

// Formats the requests under way, and the slow ones, as text, for HTTP clients such as curl. Pure.

const { localTimeWithZone } = require('../../base/local-time')
const { describeRoute, describeSlow, describeState, describeStep } = require('../../shared/requests/describe')
const { describeCounts, describeRunning, describeStale } = require('../../shared/requests/summary')

/** @import { RequestsInFlight } from '../../../types/requests' */
/** @import { SlowRequest } from '../../../types/slow-requests' */

const MAX_LINES = 5
const MAX_STEPS = 20

/** @param {RequestsInFlight} answer */
function requestsText (answer) {
  const where = describeRunning(answer)
  const rows = answer.requests.map(request => {
    return `${String(request.ageMs).padStart(8)} ms ${describeRoute(request)}: ${describeState(request, where)}${request.clientGone ? '; its client is gone' : ''}`
  })
  return [...describeStale(answer), describeCounts(answer, rows.length), ...rows, ''].join('\n')
}

/** @param {readonly SlowRequest[]} requests @param {{ isStale: boolean }} known */
function slowRequestsText (requests, { isStale }) {
  const stale = isStale ? ['the event loop is blocked: these are the last known requests', ''] : []
  if (requests.length === 0) return [...stale, 'no slow requests', ''].join('\n')
  return [...stale, ...requests.flatMap(slowRequestLines), ''].join('\n')
}

/** @param {SlowRequest} request */
function slowRequestLines (request) {
  const { at, route, status, durationMs, ownMs, behindMs, behind, gcMs, waitingMs, waits, waitedAt, steps, traceId } = request
  const trace = traceId === null ? '' : `, trace ${traceId}`
  const others = behind.map(one => `${one.route ?? 'outside requests'} ${one.ms} ms`).join(', ')
  const waited = waits.map(({ kind, operation, target, calls, errors, ms }) => {
    return `${kind} ${operation} ${target} ${ms} ms in ${calls} call${calls === 1 ? '' : 's'}${errors === 0 ? '' : `, ${errors} failed`}`
  })
  const lines = waitedAt?.filter(({ ms }) => ms > 0).slice(0, MAX_LINES).map(({ function: name, file, line, awaited, ms }) => `${name} ${file}:${line} ${ms} ms${awaited === null ? '' : ` (${awaited})`}`)
  return [
    `${localTimeWithZone(at)} ${route} ${status === null ? '' : `${status} `}${durationMs} ms: ${describeSlow(request)}${trace}`,
    `  own ${ownMs} ms, behind ${behindMs} ms${others === '' ? '' : ` (${others})`}, gc ${gcMs} ms, waiting ${waitingMs} ms`,
    ...(waited.length === 0 ? [] : [`  waited for ${waited.join('; ')}`]),
    ...(lines === undefined || lines.length === 0 ? [] : [`  waited at ${lines.join('; ')}`]),
    ...(waitedAt === null && waitingMs >= durationMs / 2 ? ['  at which line was not sampled'] : []),
    ...(steps.length < 2 ? [] : ['  in order:', ...steps.slice(0, MAX_STEPS).map(step => `    ${step.atMs} ms: ${describeStep(step)}, ${step.ms} ms`)])
  ]
}

module.exports = { requestsText, slowRequestsText }
