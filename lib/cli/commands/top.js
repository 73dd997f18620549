'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { performance } = require('../../shared/base/timers')
const { Failure } = require('../failure')
const { GROUP_OPTION, findMembers } = require('../reach/group')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { tableLines } = require('../output/table')
const { controlDirectories, listControlSockets } = require('../reach/control-sockets')
const { REACH_OPTIONS, reach } = require('../reach/reach')
const { followGroup, watchMembers } = require('../top/follow-group')
const { runScreen } = require('../top/run-screen')
const { COLUMNS, line, threadLines, totalLine } = require('../top/screen')
const { createWatched, watch } = require('../top/watch')
const { listMembers } = require('../../shared/group/members')

/** @import { Command, Invocation } from '../commands' */
/** @import { Client, Watched } from '../top/watch' */

/** @typedef {{ watched: Watched, client: Client }} Watching */

const FIRST_ANSWER_MS = 3000 // of those that do not answer nothing is known by then either
const POLL_MS = 50

/** @type {Command} */
module.exports = {
  name: 'top',
  usage: '[<pid|url> ...]',
  help: 'how the loops of processes do, live, with keys (?); off a terminal once, or a line for each with --interval',
  options: {
    interval: { type: 'string', short: 'i', meaning: 'off a terminal: print a line for each process every so many seconds' },
    count: { type: 'string', short: 'n', meaning: 'end after so many times' },
    group: GROUP_OPTION,
    ...OUTPUT_OPTIONS,
    ...REACH_OPTIONS
  },
  positionals: { min: 0, max: 50 },
  examples: ['loopscope top', 'loopscope top 1234 1235', 'loopscope top --group api', 'loopscope top 1234 --interval 1 -n 10 > loop.log'],
  run
}

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

/**
 * @param {Invocation} invocation
 * @param {AbortSignal} signal
 */
async function watchTargets (invocation, signal) {
  const watching = targetsOf(invocation).map(target => {
    const client = reach({ ...invocation, positionals: target === undefined ? [] : [target], signal })
    return { watched: createWatched(target ?? invocation.values.socket), client }
  })
  const [{ client }] = watching
  if (watching.length === 1) await client.json('/') // who is asked for by name is missed by name
  for (const one of watching) watch(one.watched, one.client, signal).catch(() => {}) // what goes wrong it notes itself
  return watching
}

/**
 * @param {Invocation} invocation
 * @param {AbortSignal} signal
 * @returns {Promise<Watching[]>} changed as the group changes
 */
async function watchGroup (invocation, signal) {
  if (invocation.positionals.length > 0) throw new Failure('usage', 'Processes or --group, not both.')
  const { env, values: { group } } = invocation
  const watching = watchMembers(await findMembers(invocation), signal)
  followGroup(watching, () => listMembers({ ...controlDirectories(env), group }), signal).catch(() => {})
  return watching
}

/**
 * @param {Watched[]} all
 * @param {Invocation['terminal']} terminal
 */
function printTable (all, terminal) {
  for (const text of tableLines(COLUMNS, all, terminal.columns())) terminal.line(text)
  if (all.length > 1) return terminal.line(totalLine(all))
  const threads = threadLines(all[0], terminal.columns())
  for (const text of threads.length === 0 ? [] : ['', ...threads]) terminal.line(text)
}

/** @param {Invocation} invocation */
function targetsOf ({ positionals, values, env, terminal }) {
  if (positionals.length > 0) return positionals
  if (values.socket !== undefined) return [undefined]
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`not looked into: ${problem}`)
  if (pids.length > 0) return pids.map(String)
  throw new Failure('notInstrumented', 'No process of yours can be reached.', 'Start one with `loopscope run -- node app.js`, or say its URL.')
}

/**
 * @param {Watched[]} all
 * @param {AbortSignal} signal
 */
async function firstAnswers (all, signal) {
  const startMs = performance.now()
  while (all.some(({ now }) => now === null) && performance.now() - startMs < FIRST_ANSWER_MS) await sleep(POLL_MS, undefined, { signal })
}

/**
 * @param {() => Watched[]} all
 * @param {Pick<Invocation, 'terminal' | 'signal'> & { times: number, periodMs: number, isOne: boolean }} how
 */
async function printLines (all, { terminal, signal, times, periodMs, isOne }) {
  for (let left = times; left > 0; left--) {
    for (const watched of all()) {
      if (watched.problem !== null && isOne) throw new Failure('unreachable', watched.problem, 'Does the process still run?')
      if (watched.now !== null && watched.problem === null) terminal.line(line(watched))
    }
    if (left > 1) await sleep(periodMs, undefined, { signal })
  }
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function numberOf (name, text) {
  if (text === undefined) return undefined
  const number = Number(text)
  if (number > 0) return number
  throw new Failure('usage', `${name} must be above 0, got ${text}.`)
}
