'use strict'

// How long does one answer of sixteen workers take, and what becomes of it when three of them are blocked?

const { setTimeout: sleep } = require('node:timers/promises')
const { askGroup } = require('../lib/shared/group/ask-group')
const { askForGroupAnswer } = require('../lib/shared/group/group-answers')
const { listMembers } = require('../lib/shared/group/members')
const { withChildren } = require('./harness/child')
const { show, summarize } = require('./harness/statistics')

/** @import { Child } from './harness/child' */
/** @import { Member } from '../lib/shared/group/members' */

const WORKERS = 16
const BLOCKED = 3
const MAX_MS = 3000
const SETTLE_MS = 15_000
const REST_MS = 1500 // who asks at once is given the same answer
const RIVAL = 'prom-client, AggregatorRegistry'
const ANSWERS = Object.freeze({ why: 'findings', stalls: 'stalls' })
const ROUTES = Object.freeze({ metrics: '/metrics?group=1', 'CPU profile of 10 s, merged': '/group/cpu?last=10' })
const CASES = Object.freeze([...Object.keys(ANSWERS), ...Object.keys(ROUTES), RIVAL])

const METHOD = `A cluster of ${WORKERS} workers that work for 2 ms every 100 ms is asked each question in turn, the first time left out, and asked again while ${BLOCKED} workers block their loops. \`why\` and \`stalls\` are asked as the ` +
  'command line does, metrics and profile of one worker that is not blocked. The rival is asked in the primary, with its default time limit. The command that asks and all workers share the processors of one machine.'

/** @typedef {{ ms: number, answered: number }} Answer  answered: of how many processes; 0: it failed */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : 5
  return withChildren('group', [[String(WORKERS)]], async ([child]) => {
    await sleep(SETTLE_MS)
    const members = await listMembers({ directories: [child.hello.controlDir] })
    await askRounds(child, members, 1, () => {}) // what answers is loaded with the first question
    const free = await askRounds(child, members, rounds, progress)
    await child.ask('block', BLOCKED)
    await sleep(REST_MS)
    const blocked = await askRounds(child, members, rounds, progress)
    await child.ask('goOn')
    return report(free, blocked)
  })
}

/**
 * @param {Child} child
 * @param {Member[]} members
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function askRounds (child, members, rounds, progress) {
  /** @type {Answer[][]} */
  const answers = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, name] of CASES.entries()) {
      answers[index].push(await ask(name, child, members))
      await sleep(REST_MS)
    }
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${answers[index][round].ms.toFixed(0)} ms, ${answers[index][round].answered}`).join('; ')}`)
  }
  return answers
}

/**
 * @param {string} name
 * @param {Child} child
 * @param {Member[]} members
 * @returns {Promise<Answer>}
 */
async function ask (name, child, members) {
  if (name === RIVAL) {
    const { ms, isWhole } = await child.ask('aggregated')
    return { ms, answered: isWhole ? WORKERS : 0 }
  }
  const startMs = performance.now()
  const answered = Object.hasOwn(ANSWERS, name) ? await askAll(ANSWERS[/** @type {keyof typeof ANSWERS} */ (name)], members) : await askOne(ROUTES[/** @type {keyof typeof ROUTES} */ (name)], members)
  return { ms: performance.now() - startMs, answered }
}

/**
 * @param {'findings' | 'stalls'} name
 * @param {Member[]} members
 */
async function askAll (name, members) {
  const { processes } = await askForGroupAnswer(name, { name: 'group', members })
  return processes.filter((/** @type {{ problem: string | null }} */ { problem }) => problem === null).length
}

/**
 * @param {string} route
 * @param {Member[]} members
 */
async function askOne (route, members) {
  const [{ body, problem }] = await askGroup(members.slice(-1), route, { withinMs: 20_000, maxBytes: Infinity })
  if (problem !== null) return 0
  const text = body.toString()
  return route.startsWith('/metrics') ? [...text.matchAll(/^loopscope_up\{.*\} 1$/gm)].length : JSON.parse(text).processes.names.length
}

/**
 * @param {Answer[][]} free     by case and round
 * @param {Answer[][]} blocked
 */
function report (free, blocked) {
  const ours = [free, blocked].flatMap(all => all.filter((_, index) => CASES[index] !== RIVAL)).flat()
  const longestMs = Math.max(...ours.map(({ ms }) => ms))
  const showMs = (/** @type {Answer[]} */ answers) => show(summarize(answers.map(({ ms }) => ms)), 0)
  const showAnswered = (/** @type {Answer[]} */ answers) => {
    const fewest = Math.min(...answers.map(({ answered }) => answered))
    return fewest === 0 ? 'an error' : `${fewest} of ${WORKERS}`
  }
  return {
    question: `How long does one answer of ${WORKERS} workers take?`,
    method: METHOD,
    table: {
      columns: ['question', 'ms', 'processes in it', `ms, ${BLOCKED} blocked`, 'processes in it'],
      rows: CASES.map((name, index) => [name, showMs(free[index]), showAnswered(free[index]), showMs(blocked[index]), showAnswered(blocked[index])])
    },
    headline: { what: `one answer of ${WORKERS} workers, ${BLOCKED} of them blocked`, cost: `${(longestMs / 1e3).toFixed(1)} s at most`, beside: `${RIVAL}: ${showAnswered(blocked[CASES.indexOf(RIVAL)])}` },
    budgets: [{ budget: `every answer is there within ${MAX_MS / 1e3} s`, measured: `${(longestMs / 1e3).toFixed(1)} s at most`, isMet: longestMs <= MAX_MS }]
  }
}

module.exports = { measure }
