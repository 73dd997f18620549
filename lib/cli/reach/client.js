'use strict'

// Asks an admin surface, over its control socket or over HTTP, and turns its refusals into words.

const http = require('node:http')
const https = require('node:https')
const { once } = require('node:events')
const { readEvents } = require('./events')
const { Failure } = require('../failure')

/** @import { Target } from './target' */

const CONNECT_MS = 5000
const MAX_PROBLEM_BYTES = 64 * 1024

/**
 * @param {Target} target
 * @param {AbortSignal} signal  Ctrl-C: the connection is dropped, which cancels what it asked for
 */
function createClient (target, signal) {
  const isSocket = 'socketPath' in target
  const base = isSocket ? target.base : target.url.pathname.replace(/\/$/, '')

  /**
   * @param {string} path
   * @param {{ method?: string, body?: unknown, headers?: Record<string, string> }} [how]
   * @returns {Promise<http.IncomingMessage>}
   */
  async function ask (path, how) {
    const request = send(path, how, signal)
    try {
      const [response] = await once(request, 'response')
      if (response.statusCode < 400) return response
      throw await refusalOf(response)
    } catch (error) {
      throw toFailure(error)
    }
  }

  /**
   * @param {string} path
   * @param {Parameters<typeof ask>[1]} [how]
   * @returns {Promise<Buffer>}
   */
  async function bytes (path, how) {
    const response = await ask(path, how)
    return readAll(response).catch(error => { throw toFailure(error) })
  }

  /**
   * As they come, until the answer ends.
   * @param {string} path
   */
  async function * events (path) {
    const response = await ask(path)
    try {
      yield * readEvents(response)
    } catch (error) {
      throw toFailure(error)
    }
  }

  /**
   * @param {string} path
   * @param {{ method?: string, body?: unknown, headers?: Record<string, string> }} [what]
   * @param {AbortSignal} [abort]
   */
  function send (path, { method = 'GET', body, headers = {} } = {}, abort) {
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
    const request = isSocket
      ? http.request({ ...how, socketPath: target.socketPath, path: base + path, setHost: false, headers: { Host: 'localhost', ...how.headers } })
      : (target.url.protocol === 'https:' ? https : http).request(new URL(base + path, target.url), how)
    request.setTimeout(CONNECT_MS, () => { if (request.socket?.connecting !== false) request.destroy(new Error('no answer')) })
    request.end(bytes ?? undefined)
    return request
  }

  /** @param {http.IncomingMessage} response */
  async function refusalOf (response) {
    const text = (await readAll(response, MAX_PROBLEM_BYTES)).toString()
    const { detail = text.trim() || `status ${response.statusCode}`, remedy } = parse(text)
    if (response.statusCode === 401) return new Failure('token', `The server wants a token: ${detail}`, 'Pass --token-file, or set LOOPSCOPE_TOKEN.')
    if (response.statusCode === 403) return new Failure('permission', detail, remedy)
    return new Failure('failed', detail, remedy)
  }

  /** @param {any} error */
  function toFailure (error) {
    if (error instanceof Failure) return error
    if (signal.aborted) return new Failure('interrupted', 'Interrupted; what was asked for is cancelled.')
    const where = isSocket ? target.socketPath : target.url.origin
    if (error.code === 'EACCES' || error.code === 'EPERM') return new Failure('permission', `${where} belongs to somebody else.`, 'Run this as the user of the process, or as root.')
    if (error.code === 'ECONNREFUSED' && isSocket) return new Failure('notInstrumented', `Nobody listens on ${where} any more: the process was killed.`)
    return new Failure('unreachable', `No answer from ${where}: ${error.message || error.code}`, 'Is the address right, and does the process run?')
  }

  return {
    ask,
    /** Ends what was asked for after the user has left: without an answer, and whatever comes of it. @param {string} path */
    abandon: path => { send(path, { method: 'DELETE' }, undefined).on('error', () => {}).on('response', response => response.resume()) },
    /** @param {string} path @param {Parameters<typeof ask>[1]} [how] */
    json: async (path, how) => parse((await bytes(path, how)).toString()),
    bytes,
    events
  }
}

/** @param {string} text */
function parse (text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/**
 * @param {http.IncomingMessage} response
 * @param {number} [maxBytes]
 */
async function readAll (response, maxBytes = Infinity) {
  const chunks = []
  let length = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks)
}

module.exports = { createClient }
