'use strict'

// What does a request take of the main thread, in nanoseconds? Without a network, so that a hundred of them show.

const { compare, showComparison, showNoise } = require('./harness/comparisons')
const { freshRounds, showConditions } = require('./harness/fresh-rounds')
const { medianOf } = require('./harness/noise')
const { show, summarize } = require('./harness/statistics')

/** @import { Child } from './harness/child' */
/** @import { Rounds } from './harness/fresh-rounds' */

const OFF = 'off'
const AGAIN = 'off, once more'
const ROUTES = 'AsyncLocalStorage'
const CASES = Object.freeze([OFF, AGAIN, ROUTES, 'on', 'on, no recorder', 'express-prom-bundle'])
const MAX_NS = 500

const WARM_UP = Object.freeze({ slices: 10, requests: 2000 })
// Each long enough for young garbage to be collected in it.
const SLICES = Object.freeze({ slices: 100, requests: 1000 })

const METHOD = 'A fresh process each round, which begins with a collection of all garbage; Express answers "hello world" on a connection without a network, one request after the other, its parser and its response included. A round is ' +
  `the 5th percentile of ${SLICES.slices} slices of ${SLICES.requests} requests: what else uses the processor and its caches only ever adds to them. \`${ROUTES}\` runs the handler in a store of its own and does nothing else, which is what routes need.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return report(await freshRounds({ file: 'request-path', cases: CASES, rounds: quick ? 2 : 12, progress, prepare }))
}

/** @param {Child} child */
async function prepare (child) {
  await child.ask('nsPerRequest', WARM_UP)
  return async () => {
    await child.ask('begin')
    return { value: await child.ask('nsPerRequest', SLICES), ownMicros: await child.ask('cpuMicros') }
  }
}

/** @param {Rounds} rounds */
function report (rounds) {
  const of = (/** @type {string} */ name) => rounds.values[CASES.indexOf(name)]
  const same = [...of(OFF), ...of(AGAIN)]
  const beyond = (/** @type {string} */ name, /** @type {number[]} */ base) => ({
    byMinimum: Math.min(...of(name)) - Math.min(...base),
    byMedian: medianOf(of(name)) - medianOf(base)
  })
  const show2 = (/** @type {ReturnType<typeof beyond>} */ { byMinimum, byMedian }) => `${byMinimum.toFixed(0)} / ${byMedian.toFixed(0)}`
  const ours = beyond('on', of(ROUTES))
  const rows = CASES.map((name, at) => [
    name, Math.min(...rounds.values[at]).toFixed(0), show(summarize(rounds.values[at]), 0),
    ...name === OFF || name === AGAIN ? ['', ''] : [show2(beyond(name, same)), showComparison(compare(of(name), of(OFF), of(AGAIN)))]
  ])
  const isMet = ours.byMinimum <= MAX_NS && ours.byMedian <= MAX_NS
  return {
    question: 'What does a request take of the main thread?',
    method: METHOD,
    table: {
      columns: ['case', 'ns a request: minimum', 'median (smallest to largest)', 'more than off, ns, by minimum / by median', 'ratio to off'],
      rows: rows.toSpliced(CASES.indexOf('on') + 1, 0, [`on, beyond ${ROUTES}; at most ${MAX_NS}`, '', '', show2(ours), ''])
    },
    notes: [`\`off\` differs from itself ${showNoise(compare(of('on'), of(OFF), of(AGAIN)).noise)} (95 of 100 deals of its rounds).`, showConditions(rounds)],
    budgets: [{ budget: `on takes at most ${MAX_NS} ns more than ${ROUTES}`, measured: `${show2(ours)} by minimum / by median`, isMet }]
  }
}

module.exports = { measure }
