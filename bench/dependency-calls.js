'use strict'

// What does a request pay for its queries being timed? Each makes three, to a server that answers at once.

const { atMost, compare, showComparison, showNoise } = require('./harness/comparisons')
const { showConditions } = require('./harness/fresh-rounds')
const { CONNECTIONS } = require('./harness/load')
const { requestRounds, WARM_UP_SECONDS } = require('./harness/request-rounds')
const { show, summarize } = require('./harness/statistics')

/** @import { Rounds } from './harness/fresh-rounds' */

const BARE = 'no loopscope'
const OFF = 'off'
const AGAIN = 'off, once more'
const ON = 'on'
const FLOOR = 'off, and listeners that do nothing'
const CASES = Object.freeze([BARE, OFF, AGAIN, ON, FLOOR])
const MAX_RATIO = 1.03

const ROUND_SECONDS = 3

const METHOD = `Express answers when three queries by ioredis, one after the other, are answered by a server of a few lines in a process of its own. A fresh server process each round, under autocannon (${CONNECTIONS} connections): ` +
  `${WARM_UP_SECONDS} s to warm up, ${ROUND_SECONDS} s that count; the cases take turns. CPU per request is the CPU time of all threads of the application over the requests that it answered. \`${OFF}\` is loopscope with ` +
  '`dependencyCalls: false`, and runs twice: what it differs by from itself is the noise. ' +
  `\`${FLOOR}\` is what Node.js and the library take as soon as anybody listens to their channels: an object and a promise more for each query.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return report(await requestRounds({ file: 'queries', cases: CASES, rounds: quick ? 2 : 10, roundSeconds: ROUND_SECONDS, progress }))
}

/** @param {Rounds} rounds */
function report (rounds) {
  const of = (/** @type {string} */ name) => rounds.values[CASES.indexOf(name)]
  const against = (/** @type {string} */ name) => compare(of(name), of(OFF), of(AGAIN))
  const [on, floor] = [ON, FLOOR].map(against)
  return {
    question: 'What does it cost to time the queries of a request?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU µs a request: minimum', 'median (smallest to largest)', 'ratio to off, by minimum / by median'],
      rows: CASES.map((name, at) => [
        name, Math.min(...rounds.values[at]).toFixed(1), show(summarize(rounds.values[at]), 1), name === OFF || name === AGAIN ? '' : showComparison(against(name))
      ])
    },
    notes: [`\`off\` differs from itself ${showNoise(on.noise)} (95 of 100 deals of its rounds).`, `${FLOOR}: ${floor.byMedian.toFixed(3)} times \`off\`.`, showConditions(rounds)],
    budgets: [atMost(`CPU of a request with three queries, on to off, at most ${MAX_RATIO}`, MAX_RATIO, on)]
  }
}

module.exports = { measure }
