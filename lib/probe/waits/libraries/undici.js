'use strict'

// undici, and fetch(), which is built on it: requests by their method, until the last byte of the response.

const { toHost, toMethod } = require('../http-names')

/** @import { Call, DependencyCalls } from '../dependency-calls' */

/** On a request: its call. */
const CALL = Symbol('loopscope.call')

/** @typedef {{ method: string, origin: unknown, [CALL]?: Call & { isServerError?: boolean } }} UndiciRequest */

/** @param {DependencyCalls} calls */
function listen (calls) {
  const names = calls.namesOf({ kind: 'http', toOperation: toMethod, toTarget: toHost })
  const end = (/** @type {UndiciRequest} */ request, /** @type {boolean} */ isError) => {
    const call = request[CALL]
    if (call !== undefined) calls.end(call, isError || call.isServerError === true)
  }
  return [
    calls.listen('undici:request:create', (/** @type {{ request: UndiciRequest }} */ { request }) => {
      request[CALL] = calls.begin(names.numberOf(request.method, String(request.origin)))
    }),
    calls.listen('undici:request:headers', ({ request, response }) => {
      if (request[CALL] !== undefined && response.statusCode >= 500) request[CALL].isServerError = true
    }),
    calls.listen('undici:request:trailers', ({ request }) => end(request, false)),
    calls.listen('undici:request:error', ({ request }) => end(request, true))
  ]
}

module.exports = { listen }
