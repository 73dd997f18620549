'use strict'

// Outgoing HTTP requests, by method and host, until the last byte of the response: undici, on which fetch() is built, and Node's own client.

const { guarded } = require('../../../base/guard')
const { OTHER, toAddress } = require('../call-names')

/** @import { Call, DependencyCalls } from '../dependency-calls' */
/** @import { ClientRequest, IncomingMessage } from 'node:http' */

/** On a request: its call. */
const CALL = Symbol('loopscope.call')

/** @typedef {{ method: string, origin: unknown, [CALL]?: Call & { isRefused?: boolean } }} UndiciRequest */

/** @param {DependencyCalls} calls */
function listenToUndici (calls) {
  const names = calls.namesOf({ kind: 'http', toOperation: toMethod, toTarget: toHost })
  const end = (/** @type {UndiciRequest} */ request, /** @type {boolean} */ isError) => {
    const call = request[CALL]
    if (call !== undefined) calls.end(call, isError || call.isRefused === true)
  }
  return [
    calls.listen('undici:request:create', (/** @type {{ request: UndiciRequest }} */ { request }) => {
      request[CALL] = calls.begin(names.numberOf(request.method, String(request.origin)))
    }),
    calls.listen('undici:request:headers', ({ request, response }) => {
      if (request[CALL] !== undefined) request[CALL].isRefused = isFailure(response.statusCode)
    }),
    calls.listen('undici:request:trailers', ({ request }) => end(request, false)),
    calls.listen('undici:request:error', ({ request }) => end(request, true))
  ]
}

// The client of node:http and node:https, which axios, got and others use: requests by their method, until the last byte of the response.

/** @param {DependencyCalls} calls */
function listenToHttpClient (calls) {
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
      const isError = isFailure(Number(response.statusCode))
      response.once('close', guarded(() => end(request, isError)))
    }),
    calls.listen('http.client.request.error', ({ request }) => end(request, true))
  ]
}

/**
 * The server did not do it: later it may. What it answers with other codes is the answer.
 * @param {number} status
 */
function isFailure (status) {
  return status >= 500 || status === 429
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

// The names of the application's outgoing HTTP requests: methods and hosts, nothing else of a URL.

const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'])
const PORTS = new Map(Object.entries({ 'http:': '80', 'https:': '443' }))

/** @param {unknown} method */
function toMethod (method) {
  const upper = String(method).toUpperCase()
  return METHODS.has(upper) ? upper : OTHER
}

/**
 * @param {string} origin  `scheme://host`, with or without a port
 * @returns {string} always with a port
 */
function toHost (origin) {
  const url = URL.canParse(origin) ? new URL(origin) : null
  if (url === null || url.hostname === '') return OTHER
  return toAddress(url.hostname.replace(/^\[|\]$/g, ''), url.port === '' ? PORTS.get(url.protocol) : url.port)
}

module.exports = { listenToHttpClient, listenToUndici, toHost, toMethod }
