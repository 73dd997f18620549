'use strict'

// What does a process that waits for work pay for being observed, and which part of it takes what?

const { idleRounds } = require('./harness/idle-rounds')
const { medianOf } = require('./harness/noise')
const { ratios, show, summarize } = require('./harness/statistics')

/** @import { Idle } from './harness/idle-rounds' */

const RIVALS = 'prom-client + @datadog/pprof'
const CASES = Object.freeze(['off', 'on', 'on, no recorder', 'on, no admin surface', 'on, 10 samples a second', 'prom-client', '@datadog/pprof', RIVALS])
const MAX_RATIO = 0.9

const ROUND_MS = 10_000 // two windows of the recorder: every round pays for the same number of rotations

const METHOD = 'One process a case, with nothing to do; all of them wait side by side on one processor, and each round reads the CPU time of every thread over the same ten ' +
  'seconds, and how often one was woken (voluntary switches). They are started anew three times. `@datadog/pprof` runs its wall and CPU profiler at 10 ms as our recorder does, prom-client its default metrics.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return report(await idleRounds({ file: 'idle', cases: CASES, generations: quick ? 1 : 3, rounds: quick ? 1 : 4, roundMs: ROUND_MS, progress }))
}

/** @param {Idle[][]} measured  by case and round */
function report (measured) {
  const percents = measured.map(rounds => rounds.map(({ percent }) => percent))
  const wakeUps = measured.map(rounds => rounds.flatMap(({ wakeUps }) => wakeUps ?? []))
  const rivals = percents[CASES.indexOf(RIVALS)]
  const mine = percents[CASES.indexOf('on')]
  const byMinimum = Math.min(...mine) / Math.min(...rivals)
  const byMedian = medianOf(mine) / medianOf(rivals)
  return {
    question: 'What does an idle process cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU, % of one core: minimum', 'median (smallest to largest)', 'wake-ups a second', `ratio to ${RIVALS}`],
      rows: CASES.map((name, at) => [
        name, Math.min(...percents[at]).toFixed(2), show(summarize(percents[at]), 2), wakeUps[at].length === 0 ? 'not known' : medianOf(wakeUps[at]).toFixed(0),
        show(ratios(percents[at], rivals), 2)
      ])
    },
    budgets: [{
      budget: `on takes at most ${MAX_RATIO} of ${RIVALS}`,
      measured: `${byMinimum.toFixed(2)} / ${byMedian.toFixed(2)} by minimum / by median`,
      isMet: byMinimum <= MAX_RATIO && byMedian <= MAX_RATIO
    }]
  }
}

module.exports = { measure }
