'use strict'

// How long is the loop held up by taking a CPU profile of a large application?

const { withChildren } = require('./harness/child')
const { differences, isAtMost, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze(['loopscope', 'inspector', 'v8-profiler-next'])
const BUDGET_MS = 5

const METHOD = 'A process with 20,000 compiled functions under light load turns its loop as fast as it can and notes the longest turn, once while a ' +
  'profile is taken and once just as long without; the cases take turns. Ours is `capture(\'cpu\', { last: 10 })`, the others are started, recorded ' +
  'for half a second and stopped, as they have to be; `inspector` is a `Session` in the process itself.'

/** @typedef {{ withoutMs: number, withMs: number, recorderMs: number | null }} Trial  longest turns of the loop */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const cases = CASES.filter(name => name !== 'v8-profiler-next' || isInstalled(name))
  const rounds = quick ? 3 : 15
  const trials = await withChildren('capture', cases.map(name => [name]), async children => {
    /** @type {Trial[][]} */
    const measured = cases.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, child] of children.entries()) measured[index].push(await child.ask('trial'))
      progress(`round ${round + 1} of ${rounds}: ${cases.map((name, index) => `${name} ${measured[index][round].withMs.toFixed(1)} ms`).join(', ')}`)
    }
    return measured
  })
  return report(cases, trials)
}

/** @param {string} name */
function isInstalled (name) {
  try {
    require(name)
    return true
  } catch {
    return false // optional: it has to be compiled, and does not compile everywhere
  }
}

/**
 * @param {string[]} cases
 * @param {Trial[][]} trials  by case and round
 */
function report (cases, trials) {
  const withMs = trials.map(rounds => rounds.map(trial => trial.withMs))
  const withoutMs = trials.map(rounds => rounds.map(trial => trial.withoutMs))
  const added = differences(withMs[0], withoutMs[0])
  const recorderMs = summarize(trials[0].map(trial => trial.recorderMs ?? 0))
  return {
    question: 'How long does taking a CPU profile hold the loop up?',
    method: METHOD,
    table: {
      columns: ['case', 'longest turn without, ms', 'longest turn with, ms', 'added, ms'],
      rows: cases.map((name, index) => [
        name, show(summarize(withoutMs[index]), 1), show(summarize(withMs[index]), 1), show(differences(withMs[index], withoutMs[index]), 1)
      ])
    },
    headline: {
      what: 'taking a CPU profile holds the loop up for',
      cost: `${added.median.toFixed(1)} ms`,
      beside: cases.slice(1).map((name, index) => `${name}: ${differences(withMs[index + 1], withoutMs[index + 1]).median.toFixed(1)} ms`).join(', ')
    },
    notes: [`By \`loopscope_overhead_seconds_total\`, the recorder itself took ${show(recorderMs, 2)} ms of the main thread for a capture.`],
    budgets: [{ budget: `a capture adds at most ${BUDGET_MS} ms`, measured: `${show(added, 1)} ms`, isMet: isAtMost(added, BUDGET_MS) }]
  }
}

module.exports = { measure }
