'use strict'

// What does the exact sync-call detector add to a call that it watches?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { isAtMost, show, summarize } = require('./harness/statistics')

/** @import { Summary } from './harness/statistics' */

const CONTEXTS = Object.freeze(['outside requests', 'in a request'])
const IN_REQUEST = 1
const LOOP = 'empty loop'
const COUNTED = 'Date.now'
const TIMED = 'two readings of the clock'

const MAX_MORE_NS = 300
const MAX_COUNTED_RATIO = 1.5

// The detector learns each second how often an API is called, and reads fewer stacks from then on.
const LEARNING_MS = 1200
const ROUND_MS = 1000

const SELDOM_API = 'fs.existsSync'
const SELDOM_CALLS = 64 // of the hundred a second whose stacks are all read: whole batches (lib/probe/sync-calls/call-site.js)
const FORGETTING_MS = 2200
const NS_PER_MICROSECOND = 1e3

const METHOD = 'A server with `diagnostics()` calls an API in a loop for 2 ms with the wrappers in their places, for 2 ms without, and for 2 ms within functions that read the clock before and after the call and do ' +
  'nothing else (those of Date are only counted, and have none), in any order, outside requests and inside one. A round is a second of such turns, after a second in which the detector learns how often the API is called; its result is the median difference within a turn. ' +
  'The server is started anew three times. What a loop takes that only stores a constant is subtracted from what a call takes. The calls are small: sixteen random bytes, ' +
  'a file and JSON of 61 characters, one iteration of PBKDF2.'

/** @typedef {{ offNs: number, timedNs: number, moreNs: number }} Round  a call */
/** @typedef {{ apis: string[], watched: number, replacedWhileOff: number }} Hello */
/** @typedef {Record<string, Round[]>} Rounds  by API */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  /** @type {Rounds[]} */
  const results = CONTEXTS.map(() => ({}))
  /** @type {Round[]} */
  const seldom = []
  /** @type {Hello} */
  let hello = { apis: [], watched: 0, replacedWhileOff: 0 }
  const starts = quick ? 1 : 3
  for (let start = 0; start < starts; start++) {
    await withChildren('sync-calls', [[]], async ([child]) => {
      hello = child.hello
      for (const api of hello.apis) {
        await measureApi(child, api, results)
        progress(`start ${start + 1} of ${starts}: ${api}`)
      }
      for (let round = 0; round < (quick ? 1 : 4); round++) seldom.push(await measureSeldom(child))
    })
  }
  return report(results, seldom, hello)
}

/**
 * @param {any} child
 * @param {string} api
 * @param {Rounds[]} results  by context; each gets one more
 */
async function measureApi (child, api, results) {
  const calls = await child.ask('calibrate', api)
  await child.ask('round', { api, calls, isInRequest: false, durationMs: LEARNING_MS })
  for (const [index, rounds] of results.entries()) {
    rounds[api] ??= []
    rounds[api].push(await child.ask('round', { api, calls, isInRequest: index === IN_REQUEST, durationMs: ROUND_MS }))
  }
}

/**
 * @param {any} child
 * @returns {Promise<Round>}
 */
async function measureSeldom (child) {
  await sleep(FORGETTING_MS)
  return child.ask('round', { api: SELDOM_API, calls: SELDOM_CALLS, isInRequest: true, durationMs: 0 })
}

/**
 * @param {Rounds[]} results  by context
 * @param {Round[]} seldom
 * @param {Hello} hello
 */
function report (results, seldom, { apis, watched, replacedWhileOff }) {
  const loopNs = summarize(results[0][LOOP].map(({ offNs }) => offNs)).median
  const off = (/** @type {Round[]} */ rounds) => summarize(rounds.map(({ offNs }) => offNs - loopNs))
  const more = (/** @type {Round[]} */ rounds) => summarize(rounds.map(({ moreNs }) => moreNs))
  const timed = (/** @type {Round[]} */ rounds) => summarize(rounds.map(({ timedNs }) => timedNs))
  const ratio = (/** @type {Round[]} */ rounds) => summarize(rounds.map(({ offNs, moreNs }) => (offNs - loopNs + moreNs) / (offNs - loopNs)))
  const calls = apis.filter(api => api !== LOOP)
  const dearest = findDearest(results, calls, more)
  const counted = results.map(rounds => ratio(rounds[COUNTED]))
  return {
    question: 'What does the exact sync-call detector add to a call?',
    method: METHOD,
    table: {
      columns: ['call', 'off, ns', `more, ${TIMED}, ns`, ...CONTEXTS.flatMap(context => [`more, ${context}, ns`, 'on to off'])],
      rows: calls.map(api => [
        api, show(off(results[0][api]), 0), show(timed(results[0][api]), 0), ...results.flatMap(rounds => [show(more(rounds[api]), 0), show(ratio(rounds[api]), 2)])
      ])
    },
    notes: [
      `A call whose stack is read takes ${show(summarize(seldom.map(({ moreNs }) => moreNs / NS_PER_MICROSECOND)), 1)} µs more, where the code that reads it is not warm: ` +
      'these are the first hundred calls or so of an API in a second, and from then on one for every eight milliseconds that such calls take. The figures above contain the latter.'
    ],
    headline: { what: 'the exact detector, a watched call', cost: `${dearest.more.median.toFixed(0)} ns more at most`, beside: `${TIMED} around the same call, and nothing else: ${timed(dearest.rounds).median.toFixed(0)} ns` },
    budgets: [
      { budget: `a call of any API takes at most ${MAX_MORE_NS} ns more`, measured: `${show(dearest.more, 0)} ns for ${dearest.title} (${TIMED} around it: ${show(timed(dearest.rounds), 0)})`, isMet: isAtMost(dearest.more, MAX_MORE_NS) },
      {
        budget: `a counted ${COUNTED}() takes at most ${MAX_COUNTED_RATIO} times as long`,
        measured: counted.map((summary, index) => `${show(summary, 2)} ${CONTEXTS[index]}`).join(', '),
        isMet: counted.every(({ median }) => median <= MAX_COUNTED_RATIO)
      },
      { budget: 'while it is off no function is replaced, so no call takes longer', measured: `${replacedWhileOff} of ${watched}`, isMet: replacedWhileOff === 0 }
    ]
  }
}

/**
 * @param {Rounds[]} results
 * @param {string[]} apis
 * @param {(rounds: Round[]) => Summary} more
 */
function findDearest (results, apis, more) {
  return results
    .flatMap((rounds, index) => apis.map(api => ({ title: `${api}, ${CONTEXTS[index]}`, rounds: rounds[api], more: more(rounds[api]) })))
    .reduce((left, right) => right.more.median > left.more.median ? right : left)
}

module.exports = { measure }
