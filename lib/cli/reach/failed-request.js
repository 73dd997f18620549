'use strict'

// What came instead of an answer, in a sentence and what to do next: a refusal, another server, nobody, or the user's own Ctrl-C.

const { Failure } = require('../failure')
const { parseJson, readAll } = require('./answer')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Target } from './target' */

const MAX_PROBLEM_BYTES = 64 * 1024
const PROBLEM = 'application/problem+json'
const WHERE_IT_IS = 'Say where the diagnostics are: the address of admin.listen, or that of the application with its path, as in http://127.0.0.1:3000/diagnostics'
const IS_IT_RIGHT = 'Is the address right, and does the process run? `loopscope list` shows those of this host.'

/** @param {Target} target */
function nameOf (target) {
  return 'socketPath' in target ? target.socketPath : target.url.origin
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

module.exports = { foreignAnswer, refusalOf, toFailure }
