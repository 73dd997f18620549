'use strict'

// Sends one request to all processes of a group at once, over their control sockets. Each has its own time limit, so that one that is stopped,
// blocked or gone does not delay the answers of the others. It never rejects.

const http = require('node:http')
const { Promise } = require('../../base/globals')
const { guarded } = require('../../base/guard')
const { parseBounded } = require('../../base/shapes')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @import { Member } from './members' */

/**
 * @typedef {object} GroupAnswer  of one process
 * @property {Member} member
 * @property {boolean} up  it answered
 * @property {string | null} problem  why there is nothing of it to use
 * @property {number | null} staleSince  milliseconds since the epoch: its loop is blocked, and the answer is from that time
 * @property {number} status  0: none
 * @property {string} type    of the content
 * @property {Buffer} body
 *
 * @typedef {object} GroupQuestion
 * @property {number} [withinMs]  for the whole answer
 * @property {string} [method]
 * @property {string} [accept]
 * @property {Record<string, string>} [headers]
 * @property {object} [body]  sent as JSON
 * @property {number} [maxBytes]  of each answer
 * @property {AbortSignal} [signal]
 */

const WITHIN_MS = 2500 // a merged answer is there within three seconds
const MAX_BYTES = 16 * 1024 ** 2
const MAX_PROBLEM_BYTES = 16 * 1024
const MAX_DETAIL = 300
const STALE_SINCE = 'x-loopscope-stale-since'
const NOTHING = Object.freeze({ staleSince: null, status: 0, type: '', body: Buffer.alloc(0) })

/**
 * @param {readonly Member[]} members
 * @param {string} path
 * @param {GroupQuestion} [question]
 * @returns {Promise<GroupAnswer[]>} in the order of the members
 */
function askGroup (members, path, question = {}) {
  return Promise.all(members.map(member => ask(member, path, question)))
}

/** @param {Member} member @param {string} path @param {GroupQuestion} question @returns {Promise<GroupAnswer>} */
function ask (member, path, { withinMs = WITHIN_MS, method = 'GET', accept, headers: more, body, maxBytes = MAX_BYTES, signal }) {
  return new Promise(resolve => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = { Host: 'localhost', ...(accept !== undefined && { Accept: accept }), ...bodyHeaders(method, text), ...more }
    const request = http.request({ socketPath: member.socketPath, path, method, headers, agent: false, setHost: false, ...(signal && { signal }) })
    const fail = (/** @type {string} */ problem) => end({ member, up: false, problem, ...NOTHING })
    const late = setTimeout(guarded(() => fail(`no answer in ${withinMs / 1e3} s`)), withinMs)
    /** @param {GroupAnswer} answer */
    function end (answer) {
      clearTimeout(late)
      resolve(answer)
      request.destroy()
    }
    request.on('error', guarded(error => fail(describe(error))))
    request.once('response', guarded(async response => {
      await read(response, maxBytes).then(body => end(toAnswer(member, response, body)), error => fail(describe(error)))
    }))
    request.end(text)
  })
}

/**
 * @param {string} method
 * @param {string} text  '': there is no body
 * @returns {Record<string, string>}
 */
function bodyHeaders (method, text) {
  if (text !== '') return { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }
  return method === 'GET' ? {} : { 'Content-Length': '0' }
}

/**
 * @param {http.IncomingMessage} response
 * @param {number} maxBytes
 * @returns {Promise<Buffer | null>} null: it is larger
 */
async function read (response, maxBytes) {
  const chunks = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @param {Member} member @param {http.IncomingMessage} response @param {Buffer | null} body @returns {GroupAnswer} */
function toAnswer (member, { statusCode: status = 0, headers }, body) {
  const stale = Date.parse(String(headers[STALE_SINCE]))
  const problem = body === null ? 'its answer is too large' : status >= 300 ? `it answered ${status}${detailOf(body)}` : null
  return {
    member,
    up: true,
    problem,
    staleSince: Number.isNaN(stale) ? null : stale,
    status,
    type: headers['content-type'] ?? '',
    body: body ?? NOTHING.body
  }
}

/** @param {Buffer} body  of a problem */
function detailOf (body) {
  if (body.length > MAX_PROBLEM_BYTES) return ''
  try {
    const { detail } = /** @type {any} */ (parseBounded(body))
    return typeof detail === 'string' ? `: ${detail.slice(0, MAX_DETAIL)}` : ''
  } catch {
    return ''
  }
}

/** @param {NodeJS.ErrnoException} error */
function describe ({ code, message }) {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'it has ended'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'it ended before it answered'
  return code === 'EAGAIN' ? 'it takes no more connections' : message
}

module.exports = { askGroup }
