'use strict'

// Outgoing HTTP requests, by method and host, until the last byte of the response: undici, on which fetch() is built, and Node's own client; and calls of
// gRPC.

const { URL } = require('../../../base/globals')
const { guarded } = require('../../../base/guard')
const { monotonicMicros } = require('../../../base/monotonic')
const { ACQUIRE, OTHER, toAddress } = require('../call-names')

/** @import { Call, DependencyCalls } from '../dependency-calls' */
/** @import { Agent, ClientRequest, IncomingMessage } from 'node:http' */
/** @import { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2' */

/** On a request: its call. */
const CALL = Symbol('loopscope.call')
/** On a request of undici: its connection. */
const CONNECTION = Symbol('loopscope.connection')
/** On a connection: when a request on it has ended. */
const FREE_MICROS = Symbol('loopscope.freeMicros')

/**
 * @typedef {{ [FREE_MICROS]?: number }} Connection
 * @typedef {{ method: string, origin: unknown, [CALL]?: Call & { isRefused?: boolean }, [CONNECTION]?: Connection }} UndiciRequest
 */

/** @param {DependencyCalls} calls */
function listenToUndici (calls) {
  const names = calls.namesOf({ kind: 'http', toOperation: toMethod, toTarget: toHost })
  const acquired = calls.namesOf({ kind: 'http', toTarget: toHost })
  const end = (/** @type {UndiciRequest} */ request, /** @type {boolean} */ isError) => {
    const { [CALL]: call, [CONNECTION]: connection } = request
    if (connection !== undefined) connection[FREE_MICROS] = monotonicMicros()
    if (call !== undefined) calls.end(call, isError || call.isRefused === true)
  }
  return [
    calls.listen('undici:request:create', (/** @type {{ request: UndiciRequest }} */ { request }) => {
      request[CALL] = calls.beginUnsent(names.numberOf(request.method, String(request.origin)))
    }),
    calls.listen('undici:client:sendHeaders', (/** @type {{ request: UndiciRequest, socket: Connection }} */ { request, socket }) => {
      request[CONNECTION] = socket
      const call = request[CALL]
      if (call === undefined) return
      calls.noteSent(call)
      // A client sends what it was given meanwhile once the request before has ended.
      if (Number(socket[FREE_MICROS]) > call.fromMicros) calls.noteAcquired(call, acquired.numberOf(ACQUIRE, String(request.origin)))
    }),
    calls.listen('undici:request:headers', ({ request, response }) => {
      if (request[CALL] !== undefined) request[CALL].isRefused = isFailure(response.statusCode)
    }),
    calls.listen('undici:request:trailers', ({ request }) => end(request, false)),
    calls.listen('undici:request:error', ({ request }) => end(request, true))
  ]
}

// The client of node:http and node:https, which axios, got and others use: requests by their method, until the last byte of the response; before that, the
// wait for a socket of an agent that has no free one.

/** @typedef {ClientRequest & { agent?: (Agent & { requests?: Record<string, ClientRequest[]> }) | null, [CALL]?: Call }} HttpRequest */

/** @param {DependencyCalls} calls */
function listenToHttpClient (calls) {
  const names = calls.namesOf({ kind: 'http', toOperation: toMethod, toTarget: toHostOf })
  const acquired = calls.namesOf({ kind: 'http', toTarget: toHostOf })
  const end = (/** @type {HttpRequest} */ request, /** @type {boolean} */ isError) => {
    if (request[CALL] !== undefined) calls.end(request[CALL], isError)
  }
  const begin = (/** @type {{ request: HttpRequest }} */ { request }) => {
    if (request[CALL] !== undefined) return
    // The port is not a property of its own: it is in the Host header, unless it is the default, or the application has set the header.
    const [origin, header] = [`${request.protocol}//${request.host}`, request.getHeader('host')]
    const name = names.numberOf(request.method, origin, header)
    if (!isInLine(request)) {
      request[CALL] = calls.begin(name)
      return
    }
    const acquire = calls.begin(acquired.numberOf(ACQUIRE, origin, header))
    request[CALL] = acquire
    request.once('socket', guarded(() => { if (acquire.isOpen) request[CALL] = calls.goOn(acquire, name) }))
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
 * @param {HttpRequest} request  that was given to its agent just now
 * @returns {boolean} whether it waits for a socket: the agent has no more than maxSockets
 */
function isInLine (request) {
  const { agent } = request
  if (agent === undefined || agent === null || (agent.maxSockets === Infinity && agent.maxTotalSockets === Infinity)) return false
  return Object.values(agent.requests ?? {}).some(line => line?.at(-1) === request)
}

/** The server did not do it: later it may. What it answers with other codes is the answer. @param {number} status */
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

// Calls of gRPC, by their method, until their stream of HTTP/2 is over. Of other streams undici reports its requests itself.

// Cancelled, deadline exceeded, and what the server could not do: UNKNOWN, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE, DATA_LOSS. Others are answers, like NOT_FOUND.
const FAILURES = new Set(['1', '2', '4', '8', '13', '14', '15'])

/** @param {DependencyCalls} calls */
function listenToGrpc (calls) {
  const names = calls.namesOf({ kind: 'grpc', toOperation: toRpc, toTarget: toHost })
  return [calls.listen('http2.client.stream.created', (/** @type {{ stream: ClientHttp2Stream, headers: OutgoingHttpHeaders }} */ { stream, headers }) => {
    if (!String(headers['content-type'] ?? '').startsWith('application/grpc')) return
    const call = calls.begin(names.numberOf(headers[':path'], `${headers[':scheme'] ?? 'http'}://${headers[':authority']}`))
    /** @type {string | undefined} */
    let status
    const note = guarded((/** @type {IncomingHttpHeaders} */ received) => { status ??= received['grpc-status']?.toString() })
    stream.once('response', note) // of an error at once
    stream.once('trailers', note)
    stream.once('close', guarded(() => { calls.end(call, status === undefined ? stream.rstCode !== 0 : FAILURES.has(status)) }))
  })]
}

/** @param {unknown} path  `/shop.Prices/Get` @returns {string} the name of the method, as its interface defines it */
function toRpc (path) {
  return /^\/[\w.]+\/(\w+)$/.exec(String(path))?.[1] ?? OTHER
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

module.exports = { listenToGrpc, listenToHttpClient, listenToUndici, toHost, toMethod }
