'use strict'

// How commands reach processes: the options they share, the process a command names, and all processes of this user asked the same at once.

const { createClient } = require('./client')
const { listControlSockets } = require('./control-sockets')
const { findTarget } = require('./target')
const { ANSWERS, readAnswer } = require('../../shared/group/answers')

/** @import { Invocation } from '../commands' */
/** @import { AnswerKind } from '../../shared/group/answers' */

/** @type {Record<string, import('../commands').CommandOption>} */
const REACH_OPTIONS = Object.freeze({
  'token-file': { type: 'string', meaning: 'file that holds the token of a URL' },
  token: { type: 'string', meaning: 'the token itself; others on this host can see it in the list of processes' },
  socket: { type: 'string', meaning: 'control socket or Unix socket listener, instead of a pid' }
})

/** @type {import('../commands').CommandOption} */
const JSON_OPTION = Object.freeze({ type: 'boolean', meaning: 'print the data as JSON' })

const ALL_ANSWER_MS = 5000 // one that is stopped does not keep the others' answers

/** @param {Invocation} invocation */
function reach ({ positionals: [target], values, env, terminal, signal }) {
  if (values.token !== undefined) {
    terminal.note('note: a token on the command line is visible to other users of this host; --token-file is not')
  }
  return createClient(findTarget(target, values, env), signal)
}

/**
 * Asks all processes of this user at once.
 * @param {string} path
 * @param {AnswerKind} kind  of their answers
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @returns {Promise<any[]>} their answers; those that ended in between, do not know the question, or
 *   answer something else, are left out
 */
async function askAll (path, kind, { env, terminal, signal }) {
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`not looked into: ${problem}`)
  const answers = await Promise.all(pids.map(async pid => {
    try {
      const wanted = { type: 'application/json', withinMs: ALL_ANSWER_MS, maxBytes: ANSWERS[kind].maxBytes }
      const body = await createClient(findTarget(String(pid), {}, env), signal).bytes(path, wanted)
      const { value, problem } = readAnswer({ problem: null, body }, kind)
      if (problem !== null) terminal.note(`process ${pid} is left out: ${problem}`)
      return value
    } catch (error) {
      if (/within/.test(String(error))) terminal.note(`process ${pid} does not answer: is it stopped?`)
      return null
    }
  }))
  signal.throwIfAborted()
  return answers.filter(answer => answer !== null)
}

module.exports = { JSON_OPTION, REACH_OPTIONS, askAll, reach }
