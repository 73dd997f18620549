'use strict'

// A process that is asked to ask its group: any that answers will do, since each gives the same answer. With a URL it is the one there.

const { askGroup } = require('../../shared/group/ask-group')
const { Failure } = require('../failure')
const { createClient } = require('../reach/client')
const { reach } = require('../reach/reach')
const { findMembers, isOneAsked } = require('./find-members')

/** @import { Invocation } from '../commands' */

const ANSWER_MS = 1000

/** @param {Invocation} invocation  with the option group */
async function reachGroup (invocation) {
  const { values: { group }, signal } = invocation
  if (isOneAsked(invocation)) return reach(invocation)
  const members = await findMembers(invocation)
  const answers = await askGroup(members, '/', { accept: 'application/json', withinMs: ANSWER_MS, signal })
  signal.throwIfAborted()
  const well = answers.find(({ problem }) => problem === null)
  if (well !== undefined) return createClient({ socketPath: well.member.socketPath, base: '' }, signal)
  throw new Failure('unreachable', `None of the ${members.length} processes of the group ${group} answers.`, 'Are they stopped, or so short of processor time?')
}

module.exports = { reachGroup }
