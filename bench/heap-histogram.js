'use strict'

// What do the ways to look at a heap cost beside a snapshot of it?

const { withChildren } = require('./harness/child')
const { isAtMost, ratios, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['heap-snapshot', 'heap-histogram', 'heap-profile', 'queryObjects alone'])
const BUDGET = 0.25

const METHOD = 'A process a case and round holds 200,000 objects with closures and captures what the case says, once. The pause is the longest that a timer of 1 ms was late; ' +
  'the extra memory is the peak of the resident set (VmHWM) over what it was before. The heap profile is of one second; the snapshot is written unredacted. ' +
  '`queryObjects` is what a histogram asks of V8: it collects garbage and visits every object; what is left for us is to count what it hands out.'

/** @typedef {{ pauseMs: number, extraBytes: number, heapBytes: number }} Trial */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : 3
  /** @type {Trial[][]} */
  const trials = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, name] of CASES.entries()) {
      // One after the other: two such heaps at once would make each other slow.
      trials[index].push(await withChildren('heap-evidence', [[name]], async ([child]) => child.ask('trial')))
    }
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${trials[index][round].pauseMs.toFixed(0)} ms`).join(', ')}`)
  }
  return report(trials)
}

/** @param {Trial[][]} trials  by case and round */
function report (trials) {
  const pauseMs = trials.map(rounds => rounds.map(trial => trial.pauseMs))
  const extraMb = trials.map(rounds => rounds.map(trial => trial.extraBytes / 1e6))
  const heapMb = summarize(trials.flat().map(trial => trial.heapBytes / 1e6))
  const histogram = CASES.indexOf('heap-histogram')
  const ofQuery = ratios(pauseMs[CASES.indexOf('queryObjects alone')], pauseMs[0])
  const [pause, memory] = [pauseMs, extraMb].map(measured => ratios(measured[histogram], measured[0]))
  return {
    question: 'What does it cost to look at a heap?',
    method: METHOD,
    table: {
      columns: ['kind', 'pause, ms', 'to the snapshot’s', 'extra memory, MB', 'to the snapshot’s'],
      rows: CASES.map((name, index) => [
        name, show(summarize(pauseMs[index]), 0), show(ratios(pauseMs[index], pauseMs[0]), 3), show(summarize(extraMb[index]), 0), show(ratios(extraMb[index], extraMb[0]), 3)
      ])
    },
    notes: [
      `The heap had ${show(heapMb, 0)} MB.`,
      `V8's part of a histogram, \`queryObjects\` alone, pauses for ${show(ofQuery, 3)} of a snapshot's pause: no histogram takes less.`
    ],
    headline: { what: 'a heap histogram pauses for', cost: `${pause.median.toFixed(2)} of a snapshot's pause`, beside: `V8's part of it: ${ofQuery.median.toFixed(2)}` },
    budgets: [
      { budget: `a histogram pauses for at most ${BUDGET} of a snapshot’s pause`, measured: show(pause, 3), isMet: isAtMost(pause, BUDGET) },
      { budget: `a histogram takes at most ${BUDGET} of a snapshot’s extra memory`, measured: show(memory, 3), isMet: isAtMost(memory, BUDGET) }
    ]
  }
}

module.exports = { measure }
