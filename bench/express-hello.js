'use strict'

// What does a request pay? Express answers "hello world", the least an application can do, so shares are the largest there are.

const { atMost, atMostRival, compare, showComparison, showNoise } = require('./harness/comparisons')
const { showConditions } = require('./harness/fresh-rounds')
const { CONNECTIONS } = require('./harness/load')
const { requestRounds, WARM_UP_SECONDS } = require('./harness/request-rounds')
const { show, summarize } = require('./harness/statistics')

/** @import { Rounds } from './harness/fresh-rounds' */

const OFF = 'off'
const AGAIN = 'off, once more'
const RIVAL = 'express-prom-bundle'
const MICROSECOND = 'a busy microsecond'
const FLOOR = 'AsyncLocalStorage + V8\'s sampler'
const BY_HAND = 'by hand + V8\'s sampler'
const CASES = Object.freeze([OFF, AGAIN, 'on', 'on, no recorder', 'on, no middleware', MICROSECOND, FLOOR, BY_HAND, RIVAL])
const MAX_RATIO = Number(process.versions.node.split('.')[0]) >= 24 ? 1.02 : 1.08 // AsyncLocalStorage rides on async_hooks before

const ROUND_SECONDS = 3

const METHOD = `A fresh server process each round, under autocannon (${CONNECTIONS} connections): ${WARM_UP_SECONDS} s to warm up, ${ROUND_SECONDS} s that count; the cases take turns, each after a collection of all garbage. CPU per request ` +
  'is the CPU time of all threads of the server over the requests that it answered. `off` runs twice: what it differs by from itself is the noise, and a ratio inside of it is no difference. ' +
  `Ratios are those of the minima and of the medians, to all rounds of \`off\`. \`${FLOOR}\` is the least that has a route for each request and samples at the recorder's rate: it writes neither down. ` +
  `\`${BY_HAND}\` also measures and counts what loopscope does, written for this one application (\`bench/harness/by-hand.js\`). ` +
  `\`${MICROSECOND}\` is a middleware that reads the clock until 1 µs has passed: what so much work on the main thread shows as here.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return report(await requestRounds({ file: 'hello', cases: CASES, rounds: quick ? 2 : 10, roundSeconds: ROUND_SECONDS, progress }))
}

/** @param {Rounds} rounds */
function report (rounds) {
  const of = (/** @type {string} */ name) => rounds.values[CASES.indexOf(name)]
  const against = (/** @type {string} */ name) => compare(of(name), of(OFF), of(AGAIN))
  const [on, rival] = ['on', RIVAL].map(against)
  return {
    question: 'What does a request cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU µs a request: minimum', 'median (smallest to largest)', 'ratio to off, by minimum / by median'],
      rows: CASES.map((name, at) => [
        name, Math.min(...rounds.values[at]).toFixed(1), show(summarize(rounds.values[at]), 1), name === OFF || name === AGAIN ? '' : showComparison(against(name))
      ])
    },
    notes: [`\`off\` differs from itself ${showNoise(on.noise)} (95 of 100 deals of its rounds).`, showConditions(rounds)],
    budgets: [
      atMost(`CPU a request, on to off, at most ${MAX_RATIO}`, MAX_RATIO, on),
      atMostRival('below express-prom-bundle', on, rival)
    ]
  }
}

module.exports = { measure }
