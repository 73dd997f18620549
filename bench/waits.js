'use strict'

// What does a request pay for loopscope sampling where it waits? Each awaits three functions, one after the other.

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
const ASKED = 'on demand'
const FLOOR = 'off, and hooks that do nothing'
const CASES = Object.freeze([BARE, OFF, AGAIN, ON, ASKED, FLOOR])
const MAX_RATIO = 1.02
const MAX_ASKED_RATIO = 1.25

const ROUND_SECONDS = 3

const METHOD = `Express answers when three async functions are done, one after the other, each of which waits for a turn of the loop. A fresh server process each round, under autocannon (${CONNECTIONS} connections): ` +
  `${WARM_UP_SECONDS} s to warm up, ${ROUND_SECONDS} s that count; the cases take turns. CPU per request is the CPU time of all threads of the application over the requests that it answered. \`${OFF}\` is loopscope with ` +
  `\`waits: false\`, and runs twice: what it differs by from itself is the noise. \`${ASKED}\` is sampling as long as it lasts: all requests, as far as its budget of a twentieth of a core reaches. \`${FLOOR}\` is what V8 takes for every promise as long as its hooks are there.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return report(await requestRounds({ file: 'waits', cases: CASES, rounds: quick ? 2 : 10, roundSeconds: ROUND_SECONDS, progress }))
}

/** @param {Rounds} rounds */
function report (rounds) {
  const of = (/** @type {string} */ name) => rounds.values[CASES.indexOf(name)]
  const against = (/** @type {string} */ name) => compare(of(name), of(OFF), of(AGAIN))
  const [on, asked] = [ON, ASKED].map(against)
  return {
    question: 'What does it cost to sample where requests wait?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU µs a request: minimum', 'median (smallest to largest)', 'ratio to off, by minimum / by median'],
      rows: CASES.map((name, at) => [
        name, Math.min(...rounds.values[at]).toFixed(1), show(summarize(rounds.values[at]), 1), name === OFF || name === AGAIN ? '' : showComparison(against(name))
      ])
    },
    notes: [`\`off\` differs from itself ${showNoise(on.noise)} (95 of 100 deals of its rounds).`, showConditions(rounds)],
    budgets: [
      atMost(`CPU of a request with three awaits, on to off, at most ${MAX_RATIO}`, MAX_RATIO, on),
      atMost(`the same while sampling was asked for, at most ${MAX_ASKED_RATIO}`, MAX_ASKED_RATIO, asked)
    ]
  }
}

module.exports = { measure }
