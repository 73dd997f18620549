'use strict'

// All processes of this user that can be reached, asked the same at once.

const { createClient } = require('./client')
const { listControlSockets } = require('./control-sockets')
const { findTarget } = require('./target')

/** @import { Invocation } from '../commands' */

const ANSWER_MS = 5000 // one that is stopped does not keep the others' answers

/**
 * @param {string} path
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @returns {Promise<any[]>} their answers; those that ended in between, or do not know the question, are left out
 */
async function askAll (path, { env, terminal, signal }) {
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`not looked into: ${problem}`)
  const answers = await Promise.all(pids.map(async pid => {
    try {
      return await createClient(findTarget(String(pid), {}, env), signal).json(path, { withinMs: ANSWER_MS })
    } catch (error) {
      if (/within/.test(String(error))) terminal.note(`process ${pid} does not answer: is it stopped?`)
      return null
    }
  }))
  signal.throwIfAborted()
  return answers.filter(answer => answer !== null)
}

module.exports = { askAll }
