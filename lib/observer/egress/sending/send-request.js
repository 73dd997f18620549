'use strict'

// One HTTP request, to its answer. With node:http, which the observer has loaded for its doors: fetch would load another client, of some
// megabytes. A connection is for one request: none stays open between two, which may be minutes.

const http = require('node:http')
const https = require('node:https')
const { Readable } = require('node:stream')
const { guarded } = require('../../../shared/base/guard')
const { askedDelayMs } = require('./retry')
const { resolveHost } = require('./resolve-host')

const MAX_SILENT_MS = 15_000
const MAX_MS = 60_000
const MIN_BYTES_PER_MS = 32 // a slower one is given up

/**
 * @param {object} wanted
 * @param {string} wanted.method
 * @param {URL} wanted.url
 * @param {Record<string, string>} wanted.headers
 * @param {number} wanted.bytes
 * @param {() => Iterable<Uint8Array>} wanted.chunks
 * @param {AbortSignal} signal
 * @returns {Promise<{ status: number, askedMs: number | null }>} rejects when there is no answer
 */
function sendRequest ({ method, url, headers, bytes, chunks }, signal) {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS + Math.ceil(bytes / MIN_BYTES_PER_MS))])
    const { request } = url.protocol === 'https:' ? https : http
    const sending = request(url, {
      method,
      headers: { ...headers, 'content-length': bytes },
      agent: false,
      lookup: resolveHost,
      signal: limit,
      timeout: MAX_SILENT_MS
    })
    sending.on('timeout', guarded(() => sending.destroy(Object.assign(new Error('the server is silent'), { code: 'ETIMEDOUT' }))))
    sending.on('error', reject)
    sending.on('response', guarded(response => {
      response.on('error', reject).resume()
      response.on('end', guarded(() => {
        resolve({ status: response.statusCode ?? 0, askedMs: askedDelayMs(response.headers['retry-after']) })
        sending.destroy() // also where the server answered without reading all of it
      }))
    }))
    Readable.from(chunks()).on('error', guarded(error => sending.destroy(error))).pipe(sending)
  })
}

module.exports = { sendRequest }
