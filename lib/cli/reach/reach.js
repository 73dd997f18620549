'use strict'

// Options and steps that all commands share which speak to a process.

const { createClient } = require('./client')
const { findTarget } = require('./target')

/** @import { Invocation } from '../commands' */

/** @type {Record<string, import('../commands').CommandOption>} */
const REACH_OPTIONS = Object.freeze({
  'token-file': { type: 'string', meaning: 'file that holds the token of a URL' },
  token: { type: 'string', meaning: 'the token itself; others on this host can see it in the list of processes' },
  socket: { type: 'string', meaning: 'control socket or Unix socket listener, instead of a pid' }
})

/** @type {import('../commands').CommandOption} */
const JSON_OPTION = Object.freeze({ type: 'boolean', meaning: 'print the data as JSON' })

/** @param {Invocation} invocation */
function reach ({ positionals: [target], values, env, terminal, signal }) {
  if (values.token !== undefined) {
    terminal.note('note: a token on the command line is visible to other users of this host; --token-file is not')
  }
  return createClient(findTarget(target, values, env), signal)
}

module.exports = { REACH_OPTIONS, JSON_OPTION, reach }
