'use strict'

// What does a process that waits for work pay for being observed?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { differences, ratios, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['off', 'on', 'prom-client', '@datadog/pprof', 'prom-client + @datadog/pprof'])
const RIVALS = 'prom-client + @datadog/pprof'

const SETTLE_MS = 5000 // start-up, its garbage and its compilation are not idling
const ROUND_MS = 10_000 // two windows of the recorder: every round pays for the same number of rotations

const METHOD = 'One process a case, with nothing to do; all of them wait side by side, and each round reads the CPU time of every thread over ' +
  'the same ten seconds. `@datadog/pprof` runs its wall and CPU profiler at 10 ms as our recorder does, prom-client its default metrics.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : 6
  const percents = await withChildren('idle', CASES.map(name => [name]), async children => {
    await sleep(SETTLE_MS)
    /** @type {number[][]} */
    const measured = CASES.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const child of children) await child.ask('begin')
      await sleep(ROUND_MS)
      for (const [index, child] of children.entries()) measured[index].push(await child.ask('cpuPercent'))
      progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${measured[index][round].toFixed(2)} %`).join(', ')}`)
    }
    return measured
  })
  return report(percents)
}

/** @param {number[][]} percents  by case and round */
function report (percents) {
  const off = percents[CASES.indexOf('off')]
  const rivals = percents[CASES.indexOf(RIVALS)]
  const on = ratios(percents[CASES.indexOf('on')], rivals)
  return {
    question: 'What does an idle process cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU, % of one core', 'more than off', `ratio to ${RIVALS}`],
      rows: CASES.map((name, index) => [
        name, show(summarize(percents[index]), 2), show(differences(percents[index], off), 2), show(ratios(percents[index], rivals), 2)
      ])
    },
    budgets: [{ budget: `on takes no more than ${RIVALS}`, measured: `${show(on, 2)} of it`, isMet: on.median <= 1 }]
  }
}

module.exports = { measure }
