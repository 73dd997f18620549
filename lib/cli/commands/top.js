'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { Failure } = require('../failure')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { createClient } = require('../connect/client')
const { controlDirectories, listControlSockets } = require('../connect/control-sockets')
const { GROUP_OPTION, findMembers } = require('../connect/group')
const { CONNECT_OPTIONS, connect } = require('../connect/connect')
const { COLUMNS, line, runScreen, threadLines, totalLine } = require('../top-screen')
const { performance } = require('../../base/timers')
const { EVENTS, OTHER_SHAPE } = require('../../shared/group/answers')
const { listMembers } = require('../../shared/group/members')

/** @import { Command, Invocation } from '../commands' */
/** @import { Shape } from '../../base/shapes' */
/** @import { Member } from '../../shared/group/members' */

const FIRST_ANSWER_MS = 3000 // a process that has not answered by then is printed without values
const POLL_MS = 50
const RETRY_MS = 1000
const MEMBERS_MS = 1000 // between two readings of the members of the group
const MAX_STALLS = 8
const MAX_DELAYS = 600

/** @type {Command} */
module.exports = {
  name: 'top',
  usage: '[<pid|name|url> ...]',
  help: 'live view of event loops, with keys (? for help); without a terminal it prints once, or repeatedly with --interval',
  options: {
    interval: { type: 'string', short: 'i', meaning: 'seconds between two outputs of one line per process' },
    count: { type: 'string', short: 'n', meaning: 'number of outputs before it ends' },
    group: GROUP_OPTION,
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  positionals: { min: 0, max: 50 },
  examples: ['loopscope top', 'loopscope top 1234 1235', 'loopscope top --group api', 'loopscope top 1234 --interval 1 -n 10 > loop.log'],
  run
}

/**
 * A process in the view, with its last reported values.
 * @typedef {object} Watched
 * @property {string} name    as on the command line
 * @property {any} facts      null until it answers
 * @property {any} now        the last event about its loop; null until it answers
 * @property {number[]} delays  the longest of each second
 * @property {any[]} stalls   newest first
 * @property {any} stuck      the stall in progress
 * @property {number} heardMs time of the last event, monotonic
 * @property {string | null} problem  why it does not answer
 *
 * @typedef {ReturnType<typeof createClient>} Client
 * @typedef {{ watched: Watched, client: Client }} Watching
 * @typedef {Watching & { end: AbortController, id: string }} WatchedMember
 */

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values, signal } = invocation
  const times = numberOf('--count', values.count) ?? Infinity
  const seconds = numberOf('--interval', values.interval)
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const watching = values.group === undefined ? await watchTargets(invocation, until) : await watchGroup(invocation, until)
  const all = () => watching.map(({ watched }) => watched)
  try {
    if (terminal.isOutputTerminal && seconds === undefined) return await runScreen(watching, { terminal, signal, times })
    await firstAnswers(all(), signal)
    if (seconds === undefined && times === Infinity) printTable(all(), terminal)
    else await printLines(all, { terminal, signal, times, periodMs: (seconds ?? 1) * 1e3, isOne: values.group === undefined && watching.length === 1 })
  } finally {
    ended.abort()
  }
}

/** @param {Invocation} invocation @param {AbortSignal} signal */
async function watchTargets (invocation, signal) {
  const watching = targetsOf(invocation).map(target => {
    const client = connect({ ...invocation, positionals: target === undefined ? [] : [target], signal })
    return { watched: createWatched(target ?? invocation.values.socket), client }
  })
  const [{ client }] = watching
  if (watching.length === 1) await client.json('/') // the only process has to exist: otherwise this throws
  for (const one of watching) watch(one.watched, one.client, signal).catch(() => {}) // watch() records its own errors
  return watching
}

/** @param {Invocation} invocation */
function targetsOf ({ positionals, values, env, terminal }) {
  if (positionals.length > 0) return positionals
  if (values.socket !== undefined) return [undefined]
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`skipped: ${problem}`)
  if (pids.length > 0) return pids.map(String)
  throw new Failure('notInstrumented', 'None of your processes can be reached.', 'Start one with `loopscope run -- node app.js`, or pass a URL.')
}

/**
 * @param {Invocation} invocation
 * @param {AbortSignal} signal
 * @returns {Promise<Watching[]>} updated as the group changes
 */
async function watchGroup (invocation, signal) {
  if (invocation.positionals.length > 0) throw new Failure('usage', 'Pass processes or --group, not both.')
  const { env, values: { group } } = invocation
  const watching = watchMembers(await findMembers(invocation), signal)
  followGroup(watching, () => listMembers({ ...controlDirectories(env), group }), signal).catch(() => {})
  return watching
}

/**
 * Follows the members of a group: processes that join are added, those that have ended are removed. One that is stopped or stuck stays.
 * @param {WatchedMember[]} watching  changed in place
 * @param {() => Promise<Member[]>} list
 * @param {AbortSignal} signal
 */
async function followGroup (watching, list, signal) {
  for (const one of watching) watchOne(one, signal)
  while (!signal.aborted) {
    await sleep(MEMBERS_MS, undefined, { signal })
    const members = await list()
    if (members.length > 0) followChange(watching, members, signal) // after the whole group has ended, its last state stays
  }
}

/** @param {WatchedMember[]} watching @param {readonly Member[]} members @param {AbortSignal} signal */
function followChange (watching, members, signal) {
  const stay = watching.filter(({ id }) => members.some(member => member.id === id))
  const joined = watchMembers(members.filter(({ id }) => !watching.some(one => one.id === id)), signal)
  for (const { end } of watching.filter(one => !stay.includes(one))) end.abort()
  for (const one of joined) watchOne(one, signal)
  watching.splice(0, watching.length, ...stay, ...joined)
}

/** @param {readonly Member[]} members @param {AbortSignal} signal @returns {WatchedMember[]} */
function watchMembers (members, signal) {
  return members.map(({ id, pid, socketPath }) => {
    const end = new AbortController()
    return { id, end, watched: createWatched(String(pid)), client: createClient({ socketPath, base: '' }, AbortSignal.any([signal, end.signal])) }
  })
}

/** Starts watching; watch() records its own errors. @param {WatchedMember} member @param {AbortSignal} signal */
function watchOne ({ watched, client, end }, signal) {
  watch(watched, client, AbortSignal.any([signal, end.signal])).catch(() => {})
}

/** @param {string} name @returns {Watched} */
function createWatched (name) {
  return { name, facts: null, now: null, delays: [], stalls: [], stuck: null, heardMs: performance.now(), problem: null }
}

/**
 * Reconnects until it is aborted, however often the process disappears. Each process has its own connection, so that one that is stuck does not
 * delay the others.
 * @param {Watched} watched
 * @param {Client} client
 * @param {AbortSignal} signal
 */
async function watch (watched, client, signal) {
  while (!signal.aborted) {
    try {
      await listen(watched, client)
    } catch (error) {
      if (signal.aborted) return
      watched.problem = /** @type {Error} */ (error).message.split('\n')[0]
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

/** @param {Watched} watched @param {Client} client */
async function listen (watched, client) {
  watched.facts = (await client.json('/', { kind: 'index' })).facts
  watched.stalls = (await client.json(`/stalls?limit=${MAX_STALLS}`, { kind: 'stalls' })).stalls
  for await (const { name, data } of client.events('/live')) {
    if (Object.hasOwn(EVENTS, name)) note(watched, name, checked(data, EVENTS[name]))
    else watched.heardMs = performance.now()
  }
}

/** @param {any} value @param {Shape} hasShape */
function checked (value, hasShape) {
  if (!hasShape(value)) throw new Error(OTHER_SHAPE)
  return value
}

/**
 * @param {Watched} watched
 * @param {string} name  of an event
 * @param {any} data
 */
function note (watched, name, data) {
  watched.heardMs = performance.now()
  watched.problem = null
  if (name === 'stall') watched.stalls = [data, ...watched.stalls].slice(0, MAX_STALLS)
  if (name === 'stuck') watched.stuck = data
  if (name !== 'loop') return
  watched.now = data
  watched.delays = [...watched.delays, Math.max(data.maxDelayMs, data.blockedMs)].slice(-MAX_DELAYS)
  if (data.blockedMs === 0) watched.stuck = null
}

/** @param {Watched[]} all @param {AbortSignal} signal */
async function firstAnswers (all, signal) {
  const startMs = performance.now()
  while (all.some(({ now }) => now === null) && performance.now() - startMs < FIRST_ANSWER_MS) await sleep(POLL_MS, undefined, { signal })
}

/** @param {Watched[]} all @param {Invocation['terminal']} terminal */
function printTable (all, terminal) {
  terminal.table(COLUMNS, all)
  if (all.length > 1) return terminal.line(totalLine(all))
  const threads = threadLines(all[0], terminal.columns())
  for (const text of threads.length === 0 ? [] : ['', ...threads]) terminal.line(text)
}

/**
 * @param {() => Watched[]} all
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { times: number, periodMs: number, isOne: boolean }} how
 */
async function printLines (all, { terminal, signal, times, periodMs, isOne }) {
  for (let left = times; left > 0; left--) {
    for (const watched of all()) {
      if (watched.problem !== null && isOne) throw new Failure('unreachable', watched.problem, 'Is the process still running?')
      if (watched.now !== null && watched.problem === null) terminal.line(line(watched))
    }
    if (left > 1) await sleep(periodMs, undefined, { signal })
  }
}

/** @param {string} name @param {string | undefined} text */
function numberOf (name, text) {
  if (text === undefined) return undefined
  const number = Number(text)
  if (number > 0) return number
  throw new Failure('usage', `${name} must be greater than 0, got ${text}.`)
}
