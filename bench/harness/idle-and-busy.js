'use strict'

// Cases while they wait and while they answer requests, in one table beside one that has nothing of what is asked about.

const { compare, showComparison, showNoise } = require('./comparisons')
const { showConditions } = require('./fresh-rounds')
const { medianOf, show, summarize } = require('./statistics')

/** @import { Rounds } from './fresh-rounds' */
/** @import { Idle } from './idle-rounds' */
/** @import { Comparison } from './comparisons' */

const COLUMNS = Object.freeze(['case', 'waiting, % of one core: minimum', 'median (smallest to largest)', 'more, by medians', 'wake-ups a second',
  'at work, CPU µs a request: minimum', 'median (smallest to largest)', 'ratio, by minimum / by median'])

/**
 * @param {object} measured
 * @param {readonly string[]} measured.cases
 * @param {Idle[][]} measured.waiting  by case and round
 * @param {Rounds} measured.busy
 * @param {string} measured.off        the case beside which the others stand
 * @param {string} measured.again      the same once more
 */
function idleAndBusy ({ cases, waiting, busy, off, again }) {
  const percentsOf = (/** @type {string} */ name) => waiting[cases.indexOf(name)].map(({ percent }) => percent)
  const microsOf = (/** @type {string} */ name) => busy.values[cases.indexOf(name)]
  const idlePercents = [...percentsOf(off), ...percentsOf(again)]
  /** @param {string} name @returns {Comparison} */
  const against = name => compare(microsOf(name), microsOf(off), microsOf(again))
  /** @param {string} name */
  const row = name => {
    const percents = percentsOf(name)
    const wakeUps = waiting[cases.indexOf(name)].flatMap(({ wakeUps }) => wakeUps ?? [])
    const isOff = name === off || name === again
    return [
      name, Math.min(...percents).toFixed(2), show(summarize(percents), 2), isOff ? '' : (medianOf(percents) - medianOf(idlePercents)).toFixed(2),
      wakeUps.length === 0 ? 'not known' : medianOf(wakeUps).toFixed(0),
      Math.min(...microsOf(name)).toFixed(1), show(summarize(microsOf(name)), 1), isOff ? '' : showComparison(against(name))
    ]
  }
  return {
    percentsOf,
    against,
    table: { columns: [...COLUMNS], rows: cases.map(row) },
    notes: [
      `\`${off}\` differs from itself by ${Math.abs(medianOf(percentsOf(off)) - medianOf(percentsOf(again))).toFixed(2)} % of a core while it waits, and ` +
      `${showNoise(against(off).noise)} at work (95 of 100 deals of its rounds).`,
      `Each process at work begins with a collection of all garbage. ${showConditions(busy)}`
    ]
  }
}

module.exports = { idleAndBusy }
