'use strict'

// One answer of all processes of a group: the command line asks each over its socket, so that none of them has to be well; where a URL
// is given, the process there is asked to ask.

const { askForGroupAnswer } = require('../../shared/group/group-answers')
const { tellWhole } = require('../../shared/group/processes')
const { Failure } = require('../failure')
const { reach } = require('../reach/reach')
const { findMembers, isOneAsked } = require('./find-members')

/** @import { Invocation } from '../commands' */

/** @type {Record<Parameters<typeof askForGroupAnswer>[0], string>} */
const ROUTES = Object.freeze({
  overview: '/group',
  findings: '/group/findings',
  stalls: '/group/stalls',
  'sync-calls': '/group/sync-calls',
  'slow-requests': '/group/slow-requests'
})

/**
 * @param {keyof typeof ROUTES} name  of the answer
 * @param {Invocation} invocation  with the option group
 * @returns {Promise<{ answer: any, whole: string }>} whole: who is in it, in words
 */
async function groupAnswer (name, invocation) {
  const { signal, values } = invocation
  const answer = isOneAsked(invocation) ? await askProcess(name, invocation) : await askMembers(name, invocation)
  signal.throwIfAborted()
  const whole = tellWhole(answer.processes)
  if (answer.processes.every((/** @type {any} */ { problem }) => problem !== null)) {
    throw new Failure('unreachable', `No process of the group ${values.group} answers: ${whole}.`, 'Are they stopped, or so short of processor time?')
  }
  return { answer, whole }
}

/**
 * @param {keyof typeof ROUTES} name
 * @param {Invocation} invocation
 */
async function askProcess (name, invocation) {
  const answer = await reach(invocation).json(ROUTES[name])
  const { group } = invocation.values
  if (answer.group === group) return answer
  throw new Failure('usage', `The process there is of the group ${answer.group}, not of ${group}.`)
}

/**
 * @param {keyof typeof ROUTES} name
 * @param {Invocation} invocation
 */
async function askMembers (name, invocation) {
  const members = await findMembers(invocation)
  return askForGroupAnswer(name, { name: invocation.values.group, members }, { signal: invocation.signal })
}

module.exports = { groupAnswer }
