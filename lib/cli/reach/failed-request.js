'use strict'

// What came instead of an answer, in words: a refusal, nobody who listens, or the user's own Ctrl-C.

const { Failure } = require('../failure')
const { parseJson, readAll } = require('./answer')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Target } from './target' */

const MAX_PROBLEM_BYTES = 64 * 1024

/** @param {IncomingMessage} response */
async function refusalOf (response) {
  const text = (await readAll(response, MAX_PROBLEM_BYTES)).toString()
  const { detail = text.trim() || `status ${response.statusCode}`, remedy } = parseJson(text)
  if (response.statusCode === 401) {
    return new Failure('token', `The server wants a token: ${detail}`, 'Pass --token-file, or set LOOPSCOPE_TOKEN.')
  }
  if (response.statusCode === 403) return new Failure('permission', detail, remedy)
  return new Failure('failed', detail, remedy)
}

/**
 * @param {any} error
 * @param {Target} target
 * @param {AbortSignal} signal
 */
function toFailure (error, target, signal) {
  if (error instanceof Failure) return error
  if (signal.aborted) return new Failure('interrupted', 'Interrupted; what was asked for is cancelled.')
  const isSocket = 'socketPath' in target
  const where = isSocket ? target.socketPath : target.url.origin
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new Failure('permission', `${where} belongs to somebody else.`, 'Run this as the user of the process, or as root.')
  }
  if (error.code === 'ECONNREFUSED' && isSocket) {
    return new Failure('notInstrumented', `Nobody listens on ${where} any more: the process was killed.`)
  }
  const message = `No answer from ${where}: ${error.message || error.code}`
  return new Failure('unreachable', message, 'Is the address right, and does the process run?')
}

module.exports = { refusalOf, toFailure }
