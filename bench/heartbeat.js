'use strict'

// What does a faster heartbeat cost, and how much better does it measure? The default of heartbeatMs was chosen from this table.

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { differences, isAtMost, show, summarize } = require('./harness/statistics')
const { resolveOptions } = require('../lib/api/options/resolve-options')

const DEFAULT_MS = resolveOptions({}, {}).heartbeatMs
const PERIODS_MS = Object.freeze([10, 20, 50, 100])
const SLOWEST = PERIODS_MS.length - 1

const SETTLE_MS = 5000 // start-up, its garbage and its compilation are not idling
const ROUND_MS = 10_000 // two windows of the recorder
const BLOCK_MS = 120 // just above the stall threshold, where precision decides whether a stall is found at all
const TRIALS_PER_TURN = 10

// What stalls are read for is to tell 120 ms from 100 ms: a fifth.
const MAX_ERROR_MS = 20

const METHOD = 'Everything is on, only `heartbeatMs` differs. CPU: the processes idle side by side, ten seconds a round; precision: they take turns at ' +
  `blocking their loop for ${BLOCK_MS} ms at random moments, and the stall reported is held against the block as the process itself measured it.`

/** @typedef {{ blockMs: number, stallMs: number | null }} Trial  null: no stall was reported */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return withChildren('heartbeat', PERIODS_MS.map(periodMs => [String(periodMs)]), async children => {
    await sleep(SETTLE_MS)
    const percents = await measureCpu(children, quick ? 1 : 3, progress)
    const trials = await measurePrecision(children, quick ? 1 : 5, progress)
    return report(percents, trials)
  })
}

/**
 * @param {any[]} children
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function measureCpu (children, rounds, progress) {
  /** @type {number[][]} */
  const percents = children.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const child of children) await child.ask('begin')
    await sleep(ROUND_MS)
    for (const [index, child] of children.entries()) percents[index].push(await child.ask('cpuPercent'))
    progress(`idle round ${round + 1} of ${rounds}: ${PERIODS_MS.map((ms, index) => `${ms} ms ${percents[index][round].toFixed(2)} %`).join(', ')}`)
  }
  return percents
}

/**
 * @param {any[]} children
 * @param {number} turns
 * @param {(text: string) => void} progress
 */
async function measurePrecision (children, turns, progress) {
  /** @type {Trial[][]} */
  const trials = children.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, child] of children.entries()) trials[index].push(...await child.ask('block', { trials: TRIALS_PER_TURN, blockMs: BLOCK_MS }))
    progress(`block turn ${turn + 1} of ${turns}`)
  }
  return trials
}

/**
 * @param {number[][]} percents  by period and round
 * @param {Trial[][]} trials     by period
 */
function report (percents, trials) {
  const errors = trials.map(ofPeriod => ofPeriod.flatMap(({ blockMs, stallMs }) => stallMs === null ? [] : blockMs - stallMs))
  const foundShares = trials.map((ofPeriod, index) => errors[index].length / ofPeriod.length)
  const chosen = PERIODS_MS.indexOf(DEFAULT_MS)
  return {
    question: 'What does the heartbeat’s period cost, and what does it buy?',
    method: METHOD,
    table: {
      columns: ['heartbeatMs', 'idle CPU, % of one core', `more than at ${PERIODS_MS[SLOWEST]} ms`, 'stalls found', 'block longer than the stall reported, ms'],
      rows: PERIODS_MS.map((periodMs, index) => [
        periodMs === DEFAULT_MS ? `${periodMs} (default)` : String(periodMs),
        show(summarize(percents[index]), 2),
        show(differences(percents[index], percents[SLOWEST]), 2),
        `${(foundShares[index] * 100).toFixed(0)} %`,
        errors[index].length === 0 ? 'none found' : show(summarize(errors[index]), 1)
      ])
    },
    budgets: [{
      budget: `the default finds every block of ${BLOCK_MS} ms, and is wrong by at most ${MAX_ERROR_MS} ms in the median`,
      measured: `${(foundShares[chosen] * 100).toFixed(0)} %, ${show(summarize(errors[chosen]), 1)} ms`,
      isMet: foundShares[chosen] === 1 && isAtMost(summarize(errors[chosen]), MAX_ERROR_MS)
    }]
  }
}

module.exports = { measure }
