'use strict'

// The processes of a group, for `--group shop`: which these are, one answer of all of them, and a process to send a question for the group to.

const { Failure } = require('../failure')
const { createClient } = require('./client')
const { controlDirectories } = require('./control-sockets')
const { connect } = require('./connect')
const { askGroup } = require('../../shared/group/ask-group')
const { askForGroupAnswer } = require('../../shared/group/group-answers')
const { listMembers, problemsOf } = require('../../shared/group/members')
const { tellWhole } = require('../../shared/group/processes')

/** @import { Invocation } from '../commands' */
/** @import { Member } from '../../shared/group/members' */

/** @type {import('../commands').CommandOption} */
const GROUP_OPTION = Object.freeze({ type: 'string', meaning: 'all processes of that group on this host, as one answer' })

/** @type {Record<Parameters<typeof askForGroupAnswer>[0], string>} */
const ROUTES = Object.freeze({
  overview: '/group',
  findings: '/group/findings',
  stalls: '/group/stalls',
  'sync-calls': '/group/sync-calls',
  'slow-requests': '/group/slow-requests'
})

const ANSWER_MS = 1000

/**
 * One answer of all processes. Each is asked over its socket, so that none of them has to be well; where a URL is given, the process there
 * is asked to ask the others.
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
  const answer = await connect(invocation).json(ROUTES[name])
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

/**
 * A process that is asked to ask its group: any that answers will do, since each gives the same answer. With a URL it is the one there.
 * @param {Invocation} invocation  with the option group
 */
async function connectToGroup (invocation) {
  const { values: { group }, signal } = invocation
  if (isOneAsked(invocation)) return connect(invocation)
  const members = await findMembers(invocation)
  const answers = await askGroup(members, '/', { accept: 'application/json', withinMs: ANSWER_MS, signal })
  signal.throwIfAborted()
  const well = answers.find(({ problem }) => problem === null)
  if (well !== undefined) return createClient({ socketPath: well.member.socketPath, base: '' }, signal)
  throw new Failure('unreachable', `None of the ${members.length} processes of the group ${group} answers.`, 'Are they stopped, or so short of processor time?')
}

/**
 * @param {Pick<Invocation, 'values' | 'env' | 'terminal'>} invocation
 * @returns {Promise<Member[]>}
 */
async function findMembers ({ values: { group }, env, terminal }) {
  const { directories, users } = controlDirectories(env)
  for (const problem of problemsOf(directories, users)) terminal.note(`not looked into: ${problem}`)
  const all = await listMembers({ directories, users })
  const members = all.filter(member => member.group === group)
  if (members.length > 0) return members
  throw new Failure('notInstrumented', `There is no group ${group} of yours on this host.`, knownGroups(all))
}

/**
 * Whether the process at a URL is asked to ask its group, and not each member from here.
 * @param {Pick<Invocation, 'positionals' | 'values'>} invocation
 */
function isOneAsked ({ positionals: [target], values }) {
  if (target !== undefined && /^\d+$/.test(target)) throw new Failure('usage', 'A pid or --group, not both.')
  return target !== undefined || values.socket !== undefined
}

/** @param {readonly Member[]} all */
function knownGroups (all) {
  if (all.length === 0) return 'No process of yours can be reached. Start one with `loopscope run -- node app.js`.'
  const names = [...new Set(all.map(({ group }) => group))].sort()
  return `Groups: ${names.map(name => `${name} (${all.filter(({ group }) => group === name).length})`).join(', ')}`
}

module.exports = { GROUP_OPTION, findMembers, groupAnswer, connectToGroup }
