'use strict'

// The processes of a group, for `--group shop`: finds them, combines their answers, and picks one that queries the others.

const { Failure } = require('../failure')
const { createClient } = require('./client')
const { controlDirectories } = require('./control-sockets')
const { connect } = require('./connect')
const { askGroup } = require('../../shared/group/ask-group')
const { GROUP_ANSWERS, askForGroupAnswer } = require('../../shared/group/group-answers')
const { listMembers, problemsOf } = require('../../shared/group/members')
const { describeCoverage } = require('../../shared/group/processes')

/** @import { Invocation } from '../commands' */
/** @import { Member } from '../../shared/group/members' */

/** @type {import('../commands').CommandOption} */
const GROUP_OPTION = Object.freeze({ type: 'string', meaning: 'all processes of this group on this host, combined' })

/** @typedef {Parameters<typeof askForGroupAnswer>[0]} AnswerName */

const ANSWER_MS = 1000

/**
 * The answer of the process that a command names; with --group, the combined one of all processes of the group.
 * @param {AnswerName} name
 * @param {Invocation} invocation
 * @param {{ query?: string, withinMs?: number }} [question]
 * @returns {Promise<{ answer: any, coverage: string | null }>} coverage: as of groupAnswer(); null: of one process
 */
async function answerOf (name, invocation, question = {}) {
  if (invocation.values.group !== undefined) return groupAnswer(name, invocation, question)
  return { answer: await connect(invocation).json(`/${name}${question.query ?? ''}`, { kind: GROUP_ANSWERS[name].kind, withinMs: question.withinMs }), coverage: null }
}

/**
 * The combined answer of all processes. Each is queried over its socket, so that no single one has to be responsive; with a URL, the process
 * there queries the others.
 * @param {AnswerName} name  of the answer
 * @param {Invocation} invocation  with the option group
 * @param {{ query?: string, withinMs?: number }} [question]
 * @returns {Promise<{ answer: any, coverage: string }>} coverage: which processes are included, as text
 */
async function groupAnswer (name, invocation, question = {}) {
  const { signal, values } = invocation
  const answer = isUrlGiven(invocation) ? await askProcess(name, invocation, question) : await askMembers(name, invocation, question)
  signal.throwIfAborted()
  const coverage = describeCoverage(answer.processes)
  if (answer.processes.every((/** @type {any} */ { problem }) => problem !== null)) {
    throw new Failure('unreachable', `No process of the group ${values.group} answers: ${coverage}.`, 'Are they stopped, or starved of CPU time?')
  }
  return { answer, coverage }
}

/** @param {AnswerName} name @param {Invocation} invocation @param {{ query?: string, withinMs?: number }} question */
async function askProcess (name, invocation, { query = '', withinMs }) {
  const answer = await connect(invocation).json(`/group${name === 'overview' ? '' : `/${name}`}${query}`, withinMs === undefined ? {} : { withinMs: withinMs + ANSWER_MS })
  const { group } = invocation.values
  if (answer.group === group) return answer
  throw new Failure('usage', `That process belongs to the group ${answer.group}, not to ${group}.`)
}

/** @param {AnswerName} name @param {Invocation} invocation @param {{ query?: string, withinMs?: number }} question */
async function askMembers (name, invocation, question) {
  const members = await findMembers(invocation)
  return askForGroupAnswer(name, { name: invocation.values.group, members }, { signal: invocation.signal, ...question })
}

/**
 * A process that queries its group: any that responds will do, since each returns the same answer. With a URL it is the one there.
 * @param {Invocation} invocation  with the option group
 */
async function connectToGroup (invocation) {
  const { values: { group }, signal } = invocation
  if (isUrlGiven(invocation)) return connect(invocation)
  const members = await findMembers(invocation)
  const answers = await askGroup(members, '/', { accept: 'application/json', withinMs: ANSWER_MS, signal })
  signal.throwIfAborted()
  const responsive = answers.find(({ problem }) => problem === null)
  if (responsive !== undefined) return createClient({ socketPath: responsive.member.socketPath, base: '' }, signal)
  throw new Failure('unreachable', `None of the ${members.length} processes of the group ${group} answers.`, 'Are they stopped, or starved of CPU time?')
}

/** @param {Pick<Invocation, 'values' | 'env' | 'terminal'>} invocation @returns {Promise<Member[]>} */
async function findMembers ({ values: { group }, env, terminal }) {
  const { directories, users } = controlDirectories(env)
  for (const problem of problemsOf(directories, users)) terminal.note(`skipped: ${problem}`)
  const all = await listMembers({ directories, users })
  const members = all.filter(member => member.group === group)
  if (members.length > 0) return members
  throw new Failure('notInstrumented', `You have no processes in a group ${group} on this host.`, knownGroups(all))
}

/**
 * Whether the process at a URL (or socket) queries its group, instead of the command line querying each member.
 * @param {Pick<Invocation, 'positionals' | 'values'>} invocation
 */
function isUrlGiven ({ positionals: [target], values }) {
  if (target !== undefined && /^\d+$/.test(target)) throw new Failure('usage', 'Pass a pid or --group, not both.')
  return target !== undefined || values.socket !== undefined
}

/** @param {readonly Member[]} all */
function knownGroups (all) {
  if (all.length === 0) return 'None of your processes can be reached. Start one with `loopscope run -- node app.js`.'
  const names = [...new Set(all.map(({ group }) => group))].sort()
  return `Groups: ${names.map(name => `${name} (${all.filter(({ group }) => group === name).length})`).join(', ')}`
}

module.exports = { answerOf, GROUP_OPTION, findMembers, groupAnswer, connectToGroup }
