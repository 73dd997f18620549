'use strict'

// All processes of this user that can be reached, asked the same at once.

const { ANSWERS, readAnswer } = require('../../shared/group/answers')
const { createClient } = require('./client')
const { listControlSockets } = require('./control-sockets')
const { findTarget } = require('./target')

/** @import { AnswerKind } from '../../shared/group/answers' */
/** @import { Invocation } from '../commands' */

const ANSWER_MS = 5000 // one that is stopped does not keep the others' answers

/**
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
      const wanted = { type: 'application/json', withinMs: ANSWER_MS, maxBytes: ANSWERS[kind].maxBytes }
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

module.exports = { askAll }
