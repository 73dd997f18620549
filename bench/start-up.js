'use strict'

// What does loopscope add to the start of a process, beside pino and prom-client, which a service has anyway?

const { withChildren } = require('./harness/child')
const { differences, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['nothing', 'pino + prom-client', 'loopscope'])
const MAX_MORE_MS = 60
const MAX_MORE_MB = 25

const METHOD = 'A fresh process each time: what its main thread did from the first `require` until everything runs (ours: until the recorder ' +
  'records), without the time that it waited for the observer thread; and the resident memory one second later.'

/** @typedef {{ requiredMs: number, occupiedMs: number, rssMegabytes: number }} Start */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 3 : 12
  /** @type {Start[][]} */
  const starts = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, name] of CASES.entries()) {
      starts[index].push(await withChildren('start', [[name]], async ([child]) => child.hello))
    }
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${starts[index][round].occupiedMs.toFixed(0)} ms`).join(', ')}`)
  }
  return report(starts)
}

/** @param {Start[][]} starts  by case and round */
function report (starts) {
  const of = (/** @type {keyof Start} */ what) => starts.map(rounds => rounds.map(start => start[what]))
  const [requiredMs, occupiedMs, rssMegabytes] = [of('requiredMs'), of('occupiedMs'), of('rssMegabytes')]
  const ours = CASES.indexOf('loopscope')
  const usual = CASES.indexOf('pino + prom-client')
  const moreMs = differences(occupiedMs[ours], occupiedMs[usual])
  const moreMegabytes = differences(rssMegabytes[ours], rssMegabytes[usual])
  return {
    question: 'What does starting cost?',
    method: METHOD,
    table: {
      columns: ['case', 'until the calls returned, ms', 'main thread occupied, ms', 'RSS, MB'],
      rows: CASES.map((name, index) => [
        name, show(summarize(requiredMs[index]), 0), show(summarize(occupiedMs[index]), 0), show(summarize(rssMegabytes[index]), 1)
      ])
    },
    budgets: [
      { budget: `at most ${MAX_MORE_MS} ms more than pino + prom-client`, measured: `${show(moreMs, 0)} ms`, isMet: moreMs.median <= MAX_MORE_MS },
      { budget: `at most ${MAX_MORE_MB} MB more`, measured: `${show(moreMegabytes, 1)} MB`, isMet: moreMegabytes.median <= MAX_MORE_MB }
    ]
  }
}

module.exports = { measure }
