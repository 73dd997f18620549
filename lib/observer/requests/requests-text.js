'use strict'

// Formats the requests under way as text, for HTTP clients such as curl. Pure.

const { describeRoute, describeState } = require('../../shared/requests/describe-state')
const { describeCounts, describeRunning, describeStale } = require('../../shared/requests/summary')

/** @import { RequestsInFlight } from '../../../types/requests' */

/** @param {RequestsInFlight} answer */
function requestsText (answer) {
  const where = describeRunning(answer)
  const rows = answer.requests.map(request => {
    return `${String(request.ageMs).padStart(8)} ms ${describeRoute(request)}: ${describeState(request, where)}${request.clientGone ? '; its client is gone' : ''}`
  })
  return [...describeStale(answer), describeCounts(answer, rows.length), ...rows, ''].join('\n')
}

module.exports = { requestsText }
