'use strict'

// Asks an admin surface, over its control socket or over HTTP, and gives the answer in the form the caller wants: as it comes, in bytes,
// as JSON or as events. What comes instead of an answer becomes a sentence and what to do next.

const { once } = require('node:events')
const http = require('node:http')
const https = require('node:https')
const { Failure } = require('../failure')
const { clearTimeout, setTimeout } = require('../../shared/base/timers')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Target } from './connect' */

const CONNECT_MS = 5000
const ANSWER_MS = 20_000 // a process that is stopped takes connections and says nothing
const MAX_PROBLEM_BYTES = 64 * 1024
const PROBLEM = 'application/problem+json'

/**
 * @typedef {object} Wanted
 * @property {string} [method]  'GET' unless given
 * @property {unknown} [body]  sent as JSON
 * @property {Record<string, string>} [headers]
 * @property {string} [type]  how the content type of the answer begins; another is that of another server
 * @property {number} [withinMs]  to begin the answer
 * @property {number} [maxBytes]  of the answer: what is beyond is not read
 */

const WHERE_IT_IS = 'Say where the diagnostics are: the address of admin.listen, or that of the application with its path, as in http://127.0.0.1:3000/diagnostics'
const IS_IT_RIGHT = 'Is the address right, and does the process run? `loopscope list` shows those of this host.'

/** What the system and Node.js say of a connection, as a sentence. @type {readonly { code: RegExp, say: (where: string, host: string) => string, remedy: string }[]} */
const CONNECTIONS = Object.freeze([
  { code: /^(ENOTFOUND|EAI_)/, say: (_, host) => `There is no host ${host}.`, remedy: 'Is the name right? Wanted a pid or a URL, as in 1234 or http://127.0.0.1:6060' },
  { code: /^ECONNREFUSED$/, say: where => `Nothing listens on ${where}.`, remedy: IS_IT_RIGHT },
  { code: /^(EHOSTUNREACH|ENETUNREACH)$/, say: (_, host) => `There is no way to ${host}.`, remedy: 'Is the address right, and the network up?' },
  { code: /^HPE_/, say: where => `What answers on ${where} does not speak HTTP.`, remedy: 'Is the port right, and is it https?' },
  { code: /^(EPROTO|ERR_SSL_)/, say: where => `What answers on ${where} does not speak TLS.`, remedy: 'Is it http?' },
  {
    code: /CERT|SIGNATURE|ALTNAME/,
    say: where => `The certificate of ${where} is not trusted`,
    remedy: 'Name the one that signed it with NODE_EXTRA_CA_CERTS=ca.pem, and the host as the certificate has it.'
  },
  { code: /^ECONNRESET$/, say: where => `${where} ended the connection without an answer.`, remedy: 'Is it https, and does the process still run?' }
])

/**
 * @param {Target} target
 * @param {AbortSignal} signal  Ctrl-C: the connection is dropped, which cancels what it asked for
 */
function createClient (target, signal) {
  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<IncomingMessage>}
   */
  async function ask (path, wanted) {
    const request = sendRequest(target, path, wanted, signal)
    try {
      const [response] = await once(request, 'response')
      if (response.statusCode >= 300) throw await refusalOf(response, target)
      if (wanted?.type !== undefined && !response.headers['content-type']?.startsWith(wanted.type)) {
        response.destroy() // nobody reads it, and its connection would hold the command until the server closes that
        throw foreignAnswer(response, target)
      }
      return response
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<Buffer>}
   */
  async function bytes (path, wanted) {
    const response = await ask(path, wanted)
    return readAll(response, wanted?.maxBytes).catch(error => { throw toFailure(error, target, signal) })
  }

  /**
   * As they come, until the answer ends.
   * @param {string} path
   */
  async function * events (path) {
    const response = await ask(path, { type: 'text/event-stream' })
    try {
      yield * readEvents(response)
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /**
   * @param {string} path
   * @param {Wanted} [wanted]
   * @returns {Promise<any>}
   */
  async function json (path, wanted) {
    return parseJson((await bytes(path, { type: 'application/json', ...wanted })).toString())
  }

  return {
    ask,
    /** Cancels what was asked for when the user has left, and waits for no answer. @param {string} path */
    abandon: path => {
      const request = sendRequest(target, path, { method: 'DELETE' })
      request.on('error', () => {}).on('response', response => response.resume())
    },
    json,
    bytes,
    /** As it comes, to where it is to go. @param {string} path @param {Pick<import('../output/destination').Destination, 'write'>} destination */
    deliver: async (path, destination) => {
      const response = await ask(path)
      await destination.write(response).catch(error => { throw toFailure(error, target, signal) })
    },
    events
  }
}

/**
 * One request, given up when its answer does not begin in time.
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

/**
 * @param {string} text
 * @returns {any} {} where it is no JSON
 */
function parseJson (text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/**
 * @param {IncomingMessage} response
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

/**
 * Server-sent events as they come, in the form of the admin surface: one `event` and one `data` line a block.
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<{ name: string, data: any }>}
 */
async function * readEvents (stream) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]))
      const [name, data] = [fields.get('event'), fields.get('data')]
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) }
    }
  }
}

/**
 * @param {IncomingMessage} response
 * @param {Target} target
 * @returns {Promise<Failure>}
 */
async function refusalOf (response, target) {
  const { statusCode = 0, headers } = response
  const text = (await readAll(response, MAX_PROBLEM_BYTES)).toString()
  if (!headers['content-type']?.startsWith(PROBLEM)) return foreignAnswer(response, target)
  const { detail = `status ${statusCode}`, remedy } = parseJson(text)
  if (statusCode === 401) return new Failure('token', `The server wants a token: ${detail}`, 'Pass --token-file, or set LOOPSCOPE_TOKEN.')
  return new Failure(statusCode === 403 ? 'permission' : 'failed', detail, remedy)
}

/**
 * @param {IncomingMessage} response  not of an admin surface
 * @param {Target} target
 */
function foreignAnswer ({ statusCode = 0, headers }, target) {
  const where = nameOf(target)
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    return new Failure('failed', `${where} sends elsewhere, to ${headers.location}`, 'Name that address.')
  }
  const [type = 'no content type'] = headers['content-type']?.split(';') ?? []
  return new Failure('failed', `${where} answers, but not as loopscope does: status ${statusCode}, ${type}.`, WHERE_IT_IS)
}

/**
 * @param {any} error
 * @param {Target} target
 * @param {AbortSignal} signal
 */
function toFailure (error, target, signal) {
  if (error instanceof Failure) return error
  if (signal.aborted) return new Failure('interrupted', 'Interrupted; what was asked for is cancelled.')
  const where = nameOf(target)
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new Failure('permission', `${where} belongs to somebody else.`, 'Run this as the user of the process, or as root.')
  }
  if ('socketPath' in target) return ofSocket(error, where)
  const known = CONNECTIONS.find(({ code }) => code.test(error.code ?? ''))
  if (known === undefined) return new Failure('unreachable', `No answer from ${where}: ${error.message || error.code}.`, IS_IT_RIGHT)
  const said = known.say(where, target.url.hostname)
  return new Failure('unreachable', said.endsWith('.') ? said : `${said}: ${error.message.replace(/\.$/, '')}.`, known.remedy)
}

/**
 * @param {any} error
 * @param {string} where
 */
function ofSocket (error, where) {
  if (error.code === 'ECONNREFUSED') return new Failure('notInstrumented', `Nobody listens on ${where} any more: the process was killed.`)
  if (error.code === 'ENOENT') return new Failure('unreachable', `There is no socket ${where}.`, IS_IT_RIGHT)
  return new Failure('unreachable', `No answer from ${where}: ${error.message || error.code}.`, IS_IT_RIGHT)
}

/** @param {Target} target */
function nameOf (target) {
  return 'socketPath' in target ? target.socketPath : target.url.origin
}

module.exports = { createClient, readAll }
