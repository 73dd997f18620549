'use strict'

// Sends one request to an admin surface, over its control socket or over HTTP, and gives up on one that does not begin to answer.

const http = require('node:http')
const https = require('node:https')
const { clearTimeout, setTimeout } = require('../../shared/base/timers')

/** @import { Target } from './target' */

const CONNECT_MS = 5000
const ANSWER_MS = 20_000 // a process that is stopped takes connections and says nothing

/**
 * @typedef {object} Wanted
 * @property {string} [method]  'GET' unless given
 * @property {unknown} [body]  sent as JSON
 * @property {Record<string, string>} [headers]
 * @property {string} [type]  how the content type of the answer begins; another is that of another server
 * @property {number} [withinMs]  to begin the answer
 * @property {number} [maxBytes]  of the answer: what is beyond is not read
 */

/**
 * @param {Target} target
 * @param {string} path
 * @param {Wanted} [wanted]
 * @param {AbortSignal} [abort]
 * @returns {http.ClientRequest}
 */
function sendRequest (target, path, { method = 'GET', body, headers = {}, withinMs = ANSWER_MS } = {}, abort) {
  const isSocket = 'socketPath' in target
  const base = isSocket ? target.base : target.url.pathname.replace(/\/$/, '')
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body))
  const how = {
    method,
    ...(abort && { signal: abort }),
    headers: {
      ...headers,
      ...(bytes && { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) }),
      ...(!isSocket && target.token !== null && { Authorization: `Bearer ${target.token}` })
    }
  }
  const ofSocket = { setHost: false, headers: { Host: 'localhost', ...how.headers } }
  const request = isSocket
    ? http.request({ ...how, ...ofSocket, socketPath: target.socketPath, path: base + path })
    : (target.url.protocol === 'https:' ? https : http).request(new URL(base + path, target.url), how)
  request.setTimeout(CONNECT_MS, () => { if (request.socket?.connecting !== false) request.destroy(new Error('no answer')) })
  const late = setTimeout(() => request.destroy(new Error(`no answer within ${withinMs / 1e3} s`)), withinMs)
  request.once('response', () => clearTimeout(late)).once('close', () => clearTimeout(late))
  request.end(bytes ?? undefined)
  return request
}

module.exports = { sendRequest }
