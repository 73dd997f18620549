'use strict'

// What the router answers with, as plain data: whoever took the request writes it. Every response forbids others to keep or embed it.

/**
 * @typedef {{ file: string, start: number, end: number }} FileBody  a part of a file, end inclusive
 * @typedef {{ chunks: AsyncIterable<string> }} StreamBody           ends when the client leaves
 * @typedef {null | string | Uint8Array | FileBody | StreamBody} AdminBody
 * @typedef {{ status: number, headers: Record<string, string>, body: AdminBody }} AdminResponse
 */

// No CORS headers, ever: a page of another origin has no business here.
const HEADERS = Object.freeze({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer'
})

/**
 * @param {number} status
 * @param {AdminBody} body
 * @param {Record<string, string>} [headers]
 * @returns {AdminResponse}
 */
function createResponse (status, body, headers = {}) {
  return { status, headers: { ...HEADERS, ...headers }, body }
}

/**
 * @param {number} status
 * @param {unknown} value
 * @param {Record<string, string>} [headers]
 */
function json (status, value, headers = {}) {
  return createResponse(status, JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8', ...headers })
}

/**
 * @param {number} status
 * @param {string} body
 * @param {Record<string, string>} [headers]
 */
function text (status, body, headers = {}) {
  return createResponse(status, body, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
}

/**
 * The length of a body that is there as a whole; a stream has none.
 * @param {AdminBody} body
 * @returns {number | null}
 */
function lengthOf (body) {
  if (body === null) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.length
  return 'file' in body ? body.end - body.start + 1 : null
}

module.exports = { createResponse, json, text, lengthOf }
