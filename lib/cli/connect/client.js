'use strict'

// The HTTP client of an admin surface, over its control socket or a URL. It returns an answer as a stream, bytes, JSON or events, and turns
// everything else into an error with a remedy.

const { once } = require('node:events')
const http = require('node:http')
const https = require('node:https')
const { setTimeout: sleep } = require('node:timers/promises')
const { isStopped } = require('./process-facts')
const { Failure } = require('../failure')
const { attempt } = require('../../base/guard')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { showBytes } = require('../../base/sizes')
const { kindsOfOpenFiles, readOpenFiles } = require('../../base/system/process-ids')
const { ANSWERS, readAnswer } = require('../../shared/group/answers')

/** @import { IncomingMessage } from 'node:http' */
/** @import { AnswerKind } from '../../shared/group/answers' */
/** @import { Target } from './connect' */
/** @import { Invocation } from '../commands' */

const CONNECT_MS = 5000
const ANSWER_MS = 20_000 // a process without CPU time accepts connections, and answers late or never
const MAX_PROBLEM_BYTES = 64 * 1024
const PROBLEM = 'application/problem+json'

/**
 * @typedef {object} Wanted
 * @property {string} [method]  'GET' unless given
 * @property {unknown} [body]  sent as JSON
 * @property {Record<string, string>} [headers]
 * @property {string} [type]  prefix of the expected content type; another one means another server
 * @property {number} [withinMs]  until the answer begins
 * @property {number} [maxBytes]  of the answer: the rest is not read
 * @property {AnswerKind} [kind]  of the answer: one of another form is a failure
 */

const WHICH_ADDRESS = 'Pass the address of admin.listen, or the address of the application with the path of the diagnostics, as in http://127.0.0.1:3000/diagnostics'
const CHECK_ADDRESS = 'Is the address right, and is the process running? `loopscope list` shows the processes of this host.'

/** Messages for the connection errors of the system and of Node.js. @type {readonly { code: RegExp, messageOf: (where: string, host: string) => string, remedy: string }[]} */
const CONNECTIONS = Object.freeze([
  { code: /^(ENOTFOUND|EAI_)/, messageOf: (_, host) => `There is no host ${host}.`, remedy: 'Is the name right? Pass a pid or a URL, as in 1234 or http://127.0.0.1:6060' },
  { code: /^ECONNREFUSED$/, messageOf: where => `Nothing listens on ${where}.`, remedy: CHECK_ADDRESS },
  { code: /^(EHOSTUNREACH|ENETUNREACH)$/, messageOf: (_, host) => `There is no route to ${host}.`, remedy: 'Is the address right, and is the network up?' },
  { code: /^HPE_/, messageOf: where => `The server on ${where} does not speak HTTP.`, remedy: 'Is the port right? Does it need https?' },
  { code: /^(EPROTO|ERR_SSL_)/, messageOf: where => `The server on ${where} does not speak TLS.`, remedy: 'Does it need http?' },
  {
    code: /CERT|SIGNATURE|ALTNAME/,
    messageOf: where => `The certificate of ${where} is not trusted`,
    remedy: 'Set NODE_EXTRA_CA_CERTS=ca.pem to the certificate authority, and use the host name of the certificate.'
  },
  { code: /^ECONNRESET$/, messageOf: where => `${where} closed the connection without an answer.`, remedy: 'Does it need https? Is the process still running?' }
])
const POLL_MS = 250 // while a capture is made
const OTHER_VERSION = 'Run the command line of the version that the process has loaded: the one in its node_modules.'
const LAST_FILES = 2 // Node.js keeps one, with which it turns clients away

/** @param {Target} target @param {AbortSignal} signal  Ctrl-C: the connection is closed, which cancels the request */
function createClient (target, signal) {
  /** @param {string} path @param {Wanted} [wanted] @returns {Promise<IncomingMessage>} */
  async function ask (path, wanted) {
    const request = sendRequest(target, path, wanted, signal)
    try {
      const [response] = await once(request, 'response')
      if (response.statusCode >= 300) throw await errorOf(response, target)
      if (wanted?.type !== undefined && !response.headers['content-type']?.startsWith(wanted.type)) {
        response.destroy() // an unread answer would keep the command running until the server closes the connection
        throw notLoopscope(response, target)
      }
      return response
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /** @param {string} path @param {Wanted} [wanted] @returns {Promise<Buffer>} */
  async function bytes (path, wanted) {
    const response = await ask(path, wanted)
    return readAll(response, wanted?.maxBytes).catch(error => { throw toFailure(error, target, signal) })
  }

  /** Events as they arrive, until the answer ends. @param {string} path */
  async function * events (path) {
    const response = await ask(path, { type: 'text/event-stream' })
    try {
      yield * readEvents(response)
    } catch (error) {
      throw toFailure(error, target, signal)
    }
  }

  /** @param {string} path @param {Wanted} [wanted] @returns {Promise<any>} */
  async function json (path, { kind, ...wanted } = {}) {
    const type = 'application/json'
    if (kind === undefined) return parseJson((await bytes(path, { type, ...wanted })).toString())
    const { value, problem } = readAnswer({ problem: null, body: await bytes(path, { type, maxBytes: ANSWERS[kind].maxBytes, ...wanted }) }, kind)
    if (problem !== null) throw new Failure('failed', `${nameOf(target)} is not understood: ${problem}`, OTHER_VERSION)
    return value
  }

  return {
    ask,
    /** Sends a DELETE without waiting for the answer, when the user has interrupted the command. @param {string} path */
    abandon: path => {
      const request = sendRequest(target, path, { method: 'DELETE' })
      request.on('error', () => {}).on('response', response => response.resume())
    },
    json,
    bytes,
    /** Streams the answer to its destination. @param {string} path @param {Pick<import('../output/destination').Destination, 'write'>} destination */
    deliver: async (path, destination) => {
      const response = await ask(path)
      await destination.write(response).catch(error => { throw toFailure(error, target, signal) })
    },
    events
  }
}

/**
 * One request, which fails when its answer does not begin in time.
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
  const waitMs = isSocket && (fullProcess(target.socketPath) !== null || isStopped(pidOf(target.socketPath))) ? CONNECT_MS : withinMs
  const timeout = setTimeout(() => request.destroy(new Error(`no answer within ${waitMs / 1e3} s`)), waitMs)
  request.once('response', () => clearTimeout(timeout)).once('close', () => clearTimeout(timeout))
  request.end(bytes ?? undefined)
  return request
}

/** @param {string} text @returns {any} {} where it is not JSON */
function parseJson (text) {
  return attempt(() => JSON.parse(text), {})
}

/** @param {IncomingMessage} response @param {number} [maxBytes] */
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
 * Server-sent events as they arrive, in the form of the admin surface: one `event` and one `data` line per block.
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

/** @param {IncomingMessage} response @param {Target} target @returns {Promise<Failure>} */
async function errorOf (response, target) {
  const { statusCode = 0, headers } = response
  const text = (await readAll(response, MAX_PROBLEM_BYTES)).toString()
  if (!headers['content-type']?.startsWith(PROBLEM)) return notLoopscope(response, target)
  const { detail = `status ${statusCode}`, remedy } = parseJson(text)
  if (statusCode === 401) return tokenFailure(target)
  return new Failure(statusCode === 403 ? 'permission' : 'failed', detail, toCommandLine(remedy))
}

/** A remedy of the server, for the options of the command line. @param {string} [remedy] */
function toCommandLine (remedy) {
  return remedy?.replace('send force: true', 'pass --force')
}

/** @param {Target} target */
function tokenFailure (target) {
  const isSent = 'token' in target && target.token !== null
  return new Failure('token', `${isSent ? 'Wrong token for' : 'A token is required by'} ${nameOf(target)}.`, 'Pass --token-file, or set LOOPSCOPE_TOKEN.')
}

/**
 * @param {IncomingMessage} response  not of an admin surface
 * @param {Target} target
 */
function notLoopscope ({ statusCode = 0, headers }, target) {
  const where = nameOf(target)
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    return new Failure('failed', `${where} redirects to ${headers.location}`, 'Use that address.')
  }
  const [type = 'no content type'] = headers['content-type']?.split(';') ?? []
  return new Failure('failed', `${where} answers, but it is not loopscope: status ${statusCode}, ${type}.`, WHICH_ADDRESS)
}

/** @param {any} error @param {Target} target @param {AbortSignal} signal */
function toFailure (error, target, signal) {
  if (error instanceof Failure) return error
  if (signal.aborted) return new Failure('interrupted', 'Interrupted; the request is canceled.')
  const where = nameOf(target)
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new Failure('permission', `${where} belongs to another user.`, 'Run this as the user of the process, or as root.')
  }
  if ('socketPath' in target) return ofSocket(error, where)
  const known = CONNECTIONS.find(({ code }) => code.test(error.code ?? ''))
  if (known === undefined) return new Failure('unreachable', `No answer from ${where}: ${error.message || error.code}.`, CHECK_ADDRESS)
  const text = known.messageOf(where, target.url.hostname)
  return new Failure('unreachable', text.endsWith('.') ? text : `${text}: ${error.message.replace(/\.$/, '')}.`, known.remedy)
}

/** @param {any} error @param {string} where */
function ofSocket (error, where) {
  if (error.code === 'ECONNREFUSED') return new Failure('notInstrumented', `Nothing listens on ${where} any more: the process was killed.`)
  if (error.code === 'ENOENT') return new Failure('unreachable', `There is no socket ${where}.`, CHECK_ADDRESS)
  return outOfFiles(where) ?? stopped(pidOf(where)) ?? new Failure('unreachable', `No answer from ${where}: ${error.message || error.code}.`, CHECK_ADDRESS)
}

/** @param {string} socketPath */
function pidOf (socketPath) {
  return Number(/(\d+)\.sock$/.exec(socketPath)?.[1])
}

/** @param {number} pid @returns {Failure | null} null: it is not known to be stopped */
function stopped (pid) {
  return isStopped(pid) ? new Failure('unreachable', `Process ${pid} is stopped, so it does not answer.`, `A signal or a debugger stopped it. \`kill -CONT ${pid}\` continues it after a signal.`) : null
}

/**
 * A process with as many open files as it may have accepts no connection.
 * @param {string} socketPath
 * @returns {{ pid: number, limit: number } | null} null: it is not known to be one
 */
function fullProcess (socketPath) {
  const pid = pidOf(socketPath)
  const files = attempt(() => readOpenFiles(pid), null)
  return files === null || files.open < files.limit - LAST_FILES ? null : { pid, limit: files.limit }
}

/** @param {string} socketPath @returns {Failure | null} null: it has files left, as far as is known */
function outOfFiles (socketPath) {
  const full = fullProcess(socketPath)
  if (full === null) return null
  const { pid, limit } = full
  const kinds = Object.entries(kindsOfOpenFiles(`/proc/${pid}/fd`)).sort(([, left], [, right]) => right - left).map(([kind, count]) => `${count} ${kind}`)
  return new Failure('unreachable', `Process ${pid} has all ${limit} files and sockets open that it may have (${kinds.join(', ')}), so it cannot accept this connection either.`,
    `ls -l /proc/${pid}/fd shows what is open. As root you can give it more while it runs, and then ask again: prlimit --pid ${pid} --nofile=${limit * 2}`)
}

/** @param {Target} target */
function nameOf (target) {
  return 'socketPath' in target ? target.socketPath : target.url.origin
}

/**
 * Waits until a capture that was requested is made, and cancels it with the command.
 * @param {ReturnType<typeof import('./connect').connect>} client
 * @param {string} id
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { kind: string, seconds?: number }} how
 */
async function followCapture (client, id, { kind, seconds, terminal, signal }) {
  const progress = terminal.progress(kind.replace('-', ' '), seconds)
  // No connection is open while the capture runs, so it has to be canceled when the user interrupts the command.
  const cancel = () => { client.abandon(`/captures/${id}`) }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const job = await client.json(`/captures/${id}`)
      if (job.problem !== null) throw new Failure('failed', job.problem.detail, toCommandLine(job.problem.remedy))
      if (job.endedAt !== null) return job
      if (job.progress) progress.note(`${job.progress.stage} ${job.progress.bytes ? showBytes(job.progress.bytes) : ''}`)
      await sleep(POLL_MS, undefined, { signal })
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    progress.end()
  }
}

module.exports = { createClient, followCapture, readAll }
