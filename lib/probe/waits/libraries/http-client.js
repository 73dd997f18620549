'use strict'

// The client of node:http and node:https, which axios, got and others use: requests by their method, until the last byte of the response.

const { guarded } = require('../../../base/guard')
const { toHost, toMethod } = require('../http-names')

/** @import { ClientRequest, IncomingMessage } from 'node:http' */
/** @import { Call, DependencyCalls } from '../dependency-calls' */

/** On a request: its call. */
const CALL = Symbol('loopscope.call')

const FIRST_ERROR = 500

/** @param {DependencyCalls} calls */
function listen (calls) {
  const names = calls.namesOf({ kind: 'http', toOperation: toMethod, toTarget: toHostOf })
  const end = (/** @type {ClientRequest & { [CALL]?: Call }} */ request, /** @type {boolean} */ isError) => {
    if (request[CALL] !== undefined) calls.end(request[CALL], isError)
  }
  const begin = (/** @type {{ request: any }} */ { request }) => {
    // The port is not a property of its own: it is in the Host header, unless it is the default, or the application has set the header.
    request[CALL] ??= calls.begin(names.numberOf(request.method, `${request.protocol}//${request.host}`, request.getHeader('host')))
  }
  return [
    calls.listen('http.client.request.created', begin),
    calls.listen('http.client.request.start', begin), // Node.js 20 reports nothing earlier: by then the request is written
    calls.listen('http.client.response.finish', (/** @type {{ request: ClientRequest, response: IncomingMessage }} */ { request, response }) => {
      const isError = Number(response.statusCode) >= FIRST_ERROR
      response.once('close', guarded(() => end(request, isError)))
    }),
    calls.listen('http.client.request.error', ({ request }) => end(request, true))
  ]
}

/**
 * @param {string} origin  with no port
 * @param {unknown} header
 */
function toHostOf (origin, header) {
  const port = typeof header === 'string' ? /:(\d+)$/.exec(header)?.[1] : undefined
  const { protocol, host } = splitOrigin(origin)
  return toHost(`${protocol}//${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`)
}

/** @param {string} origin */
function splitOrigin (origin) {
  const at = origin.indexOf('//')
  return { protocol: origin.slice(0, at), host: origin.slice(at + 2) }
}

module.exports = { listen }
