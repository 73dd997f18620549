'use strict'

// What does a process that waits for work pay for being observed, and which part of it takes what?

const { ageTable, partTable, threadTable } = require('./harness/idle-parts')
const { idleRounds, SETTLED_SECONDS } = require('./harness/idle-rounds')
const { measureIdleWindow } = require('./harness/idle-window')
const { isAtMost, medianOf, ratios, show, summarize } = require('./harness/statistics')

/** @import { Age } from './harness/idle-parts' */

const RIVALS = 'prom-client + @datadog/pprof'
const SAMPLER = 'V8\'s sampler alone'
const LEAST = 'V8\'s sampler + a watched timer'
const CASES = Object.freeze(['off', 'on', 'on, no recorder', 'on, engine inspector', 'on, no admin surface', 'on, 10 samples a second', 'on, a clock', SAMPLER, LEAST, 'prom-client', '@datadog/pprof', RIVALS])
const BY_THREAD = Object.freeze(['on', 'on, no recorder', SAMPLER, LEAST, RIVALS])
const BY_AGE = Object.freeze(['on', 'on, no recorder', LEAST, RIVALS])
const PARTS = Object.freeze([
  { part: 'V8\'s sampler, with nothing of ours', with: SAMPLER, without: 'off' },
  { part: 'a timer every 100 ms and a thread that looks every 200, with nothing of ours', with: LEAST, without: SAMPLER },
  { part: 'sampler, ending and reading windows', with: 'on', without: 'on, no recorder' },
  { part: 'heartbeat, watch, and what is done every second', with: 'on, no recorder', without: 'off' },
  { part: 'admin surface, threads', with: 'on', without: 'on, no admin surface' },
  { part: 'renewal of a clock', with: 'on, a clock', without: 'on' }
])
const MAX_RATIO = 0.9

// V8 collects what the start left behind, in two steps, up to 18 s after it.
const START_UP_SECONDS = 20
const WINDOW_SECONDS = 20 // of an idle process: every round pays for the same number of rotations
const ROUNDS = 8

const METHOD = 'One process a case, with nothing to do; all of them wait side by side on one processor, and each round reads the CPU time of every thread over the same twenty ' +
  'seconds, and how often one was woken (voluntary switches). They are started anew three times, and measured from their ' +
  `${SETTLED_SECONDS}th second on, when V8 has compiled what comes back; what it takes before is in the last table. ` +
  '`@datadog/pprof` runs its wall and CPU profiler at 10 ms as our recorder does, prom-client its default metrics. ' +
  `\`${LEAST}\` is the least that records and learns of a stall while it lasts: ` +
  'the timer says when it ran, and a thread looks, each as often as ours do. `on, engine inspector` samples at the full rate all the time, as `on` does before Node.js 26. What egress and rules cost: below.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : ROUNDS
  const measured = await idleRounds({ file: 'idle', cases: CASES, generations: quick ? 1 : 3, rounds, roundMs: WINDOW_SECONDS * 1e3, settleMs: START_UP_SECONDS * 1e3, progress })
  const ages = Array.from({ length: rounds }, (_, at) =>
    ({ fromSeconds: START_UP_SECONDS + at * WINDOW_SECONDS, measured: measured.map(idle => idle.filter((_, round) => round % rounds === at)) }))
  return report(ages, await measureIdleWindow(WINDOW_SECONDS))
}

/**
 * @param {Age[]} ages
 * @param {Awaited<ReturnType<typeof measureIdleWindow>>} window
 */
function report (ages, window) {
  const settled = ages.length === 1 ? ages : ages.filter(({ fromSeconds }) => fromSeconds >= SETTLED_SECONDS)
  const measured = CASES.map((_, at) => settled.flatMap(({ measured }) => measured[at]))
  const percents = measured.map(rounds => rounds.map(({ percent }) => percent))
  const wakeUps = measured.map(rounds => rounds.flatMap(({ wakeUps }) => wakeUps ?? []))
  const utilizations = measured.map(rounds => rounds.map(({ utilization }) => utilization))
  const rivals = percents[CASES.indexOf(RIVALS)]
  const mine = percents[CASES.indexOf('on')]
  const byMinimum = Math.min(...mine) / Math.min(...rivals)
  const byMedian = medianOf(mine) / medianOf(rivals)
  return {
    question: 'What does an idle process cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU, % of one core: minimum', 'median (smallest to largest)', 'wake-ups a second', 'Node\'s `eventLoopUtilization()`', `ratio to ${RIVALS}`],
      rows: CASES.map((name, at) => [
        name, Math.min(...percents[at]).toFixed(2), show(summarize(percents[at]), 2), wakeUps[at].length === 0 ? 'not known' : medianOf(wakeUps[at]).toFixed(0),
        show(summarize(utilizations[at]), 2),
        show(ratios(percents[at], rivals), 2)
      ])
    },
    details: [partTable(CASES, measured, PARTS), threadTable(CASES, measured, BY_THREAD), ageTable(CASES, ages, BY_AGE, RIVALS)],
    notes: [
      `A window of an idle process (${WINDOW_SECONDS} s, ${window.samples} samples, ${(window.bytes / 1e3).toFixed(0)} kB as V8 writes it) is parsed, labelled and kept in ` +
      `${window.cpuMs.toFixed(2)} ms of CPU: ${(window.cpuMs / WINDOW_SECONDS / 10).toFixed(4)} % of one core.`
    ],
    headline: {
      what: 'a process that waits', cost: `${medianOf(mine).toFixed(2)} % of a core`, beside: `${RIVALS}: ${medianOf(rivals).toFixed(2)} %, ${LEAST}: ${medianOf(percents[CASES.indexOf(LEAST)]).toFixed(2)} %`
    },
    budgets: [{
      budget: `on takes at most ${MAX_RATIO} of ${RIVALS}`,
      measured: `${byMinimum.toFixed(2)} / ${byMedian.toFixed(2)} by minimum / by median`,
      isMet: isAtMost({ median: Math.max(byMinimum, byMedian), low: ratios(mine, rivals).low }, MAX_RATIO)
    }]
  }
}

module.exports = { measure }
