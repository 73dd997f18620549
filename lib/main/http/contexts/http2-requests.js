'use strict'

// Requests of HTTP/2 begin with their stream, and have what node:http calls a request only afterwards, if ever: until then some facts
// stand in for it. Node.js 20 does not tell of streams: there the middleware meets their requests.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../../shared/base/guard')

/** @import { IncomingMessage } from 'node:http' */
/** @import { ServerHttp2Stream } from 'node:http2' */

const CHANNEL_NAME = 'http2.server.stream.start'

/** @param {(request: IncomingMessage, stream: ServerHttp2Stream) => void} onRequest */
function createHttp2Requests (onRequest) {
  const onStream = guarded((/** @type {any} */ { stream, headers }) => {
    // A server pushes streams of even numbers, out of work on another request.
    if (stream.id % 2 === 1) onRequest(standInFor(stream, headers), stream)
  })
  return {
    start: () => subscribe(CHANNEL_NAME, onStream),
    stop: () => { unsubscribe(CHANNEL_NAME, onStream) }
  }
}

/**
 * @param {ServerHttp2Stream} stream
 * @param {any} headers
 * @returns {any} what a route is read from
 */
function standInFor (stream, headers) {
  return { method: headers[':method'], url: headers[':path'], httpVersion: '2.0', headers, stream }
}

module.exports = { createHttp2Requests }
