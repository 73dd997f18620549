'use strict'

// Compares two benchmarks: figures with the spread of their rounds, findings, functions. Pure.

const { FIGURES, spreadOf, valuesOf, warningsOfPair } = require('./figures')
const { groupBy, median, sum } = require('../../base/sums')
const { diffProfiles } = require('../../formats/differences')

/** @import { Finding } from '../../../types/findings' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Figure, Spread } from './figures' */
/** @import { Bench, Round } from './result-file' */
/** @import { Prediction } from '../../../types/what-if' */

/**
 * @typedef {'better' | 'worse' | 'higher' | 'lower' | 'no difference seen' | 'too few rounds'} Verdict
 *
 * @typedef {object} FigureChange
 * @property {string} name
 * @property {string} unit
 * @property {number[]} valuesBefore  one per round
 * @property {number[]} valuesAfter
 * @property {Spread} before
 * @property {Spread} after
 * @property {Spread | null} ratio  after divided by before: of the medians, and the smallest and largest of any two rounds; null
 *   where a value is 0
 * @property {Verdict} verdict
 *
 * @typedef {{ finding: Finding, roundsBefore: number, roundsAfter: number }} FindingChange  in how many rounds it appeared
 *
 * @typedef {{ route: string, p50Ms: number, p95Ms: number }} MeasuredRoute
 * @typedef {{ low: number, high: number }} Range
 *
 * @typedef {object} RouteChange  medians of the rounds, in milliseconds
 * @property {string} route
 * @property {{ p50Ms: number, p95Ms: number }} before
 * @property {{ p50Ms: number, p95Ms: number }} after
 * @property {{ p50Ms: Range, p95Ms: Range } | null} predicted  null: no finding that has gone had a prediction for it
 *
 * @typedef {object} FunctionChange  microseconds of the main thread per request
 * @property {string} name
 * @property {string} place
 * @property {number} before
 * @property {number} after
 * @property {number} change
 *
 * @typedef {object} Comparison
 * @property {{ file: string, bench: Bench }} before
 * @property {{ file: string, bench: Bench }} after
 * @property {string[]} warnings
 * @property {number} chance  the ranges of a figure do not overlap by chance, without any change, in one of this many comparisons
 * @property {FigureChange[]} figures
 * @property {{ gone: FindingChange[], came: FindingChange[], stayed: FindingChange[] }} findings
 * @property {RouteChange[]} routes  as the processes measured them; empty where a file is of an earlier version
 * @property {{ hotter: FunctionChange[], colder: FunctionChange[] } | null} functions  null where a profile is missing
 */

// One in ten, as with three rounds per side: below that, a range is not evidence.
const MIN_CHANCE = 10
const MAX_FUNCTIONS = 12
const MIN_CHANGE = 0.01 // of the time a request takes on the main thread

/** @param {Comparison['before']} before @param {Comparison['after']} after @returns {Comparison} */
function compareBenches (before, after) {
  const chance = chanceOf(before.bench.rounds.length, after.bench.rounds.length)
  const findings = compareFindings(before.bench.rounds, after.bench.rounds)
  return {
    before,
    after,
    warnings: warningsOfPair(before, after),
    chance,
    figures: FIGURES.flatMap(figure => changeOf(figure, before.bench.rounds, after.bench.rounds, chance)),
    findings,
    routes: compareRoutes(before.bench.rounds, after.bench.rounds, findings.gone.map(({ finding }) => keyOf(finding))),
    functions: compareFunctions(before.bench, after.bench)
  }
}

/**
 * Where nothing changed, every order of the rounds is equally likely, and in two of them the sides do not overlap.
 * @param {number} before  rounds
 * @param {number} after
 */
function chanceOf (before, after) {
  let orders = 1
  for (let at = 1; at <= before; at++) orders = orders * (after + at) / at
  return Math.round(orders / 2)
}

/**
 * @param {Figure} figure
 * @param {readonly Round[]} roundsBefore
 * @param {readonly Round[]} roundsAfter
 * @param {number} chance
 * @returns {FigureChange[]} empty where the figure is not known
 */
function changeOf (figure, roundsBefore, roundsAfter, chance) {
  const valuesBefore = valuesOf(figure, roundsBefore)
  const valuesAfter = valuesOf(figure, roundsAfter)
  if (valuesBefore === null || valuesAfter === null) return []
  const [before, after] = [spreadOf(valuesBefore), spreadOf(valuesAfter)]
  if (before.max === 0 && after.max === 0) return []
  const { name, unit } = figure
  const ratio = before.min <= 0 || after.min <= 0
    ? null
    : { median: after.median / before.median, min: after.min / before.max, max: after.max / before.min }
  return [{ name, unit, valuesBefore, valuesAfter, before, after, ratio, verdict: judge(figure, before, after, chance) }]
}

/** @param {Figure} figure @param {Spread} before @param {Spread} after @param {number} chance @returns {Verdict} */
function judge ({ better }, before, after, chance) {
  if (after.min <= before.max && before.min <= after.max) return 'no difference seen'
  if (chance < MIN_CHANCE) return 'too few rounds'
  const isMore = after.min > before.max
  if (better === null) return isMore ? 'higher' : 'lower'
  return isMore === (better === 'more') ? 'better' : 'worse'
}

/**
 * A finding counts when most rounds have it: one that appears in a single round may just as well be noise.
 * @param {readonly Round[]} before
 * @param {readonly Round[]} after
 */
function compareFindings (before, after) {
  const [earlier, later] = [countFindings(before), countFindings(after)]
  const changes = [...new Set([...earlier.keys(), ...later.keys()])].map(key => {
    const { finding } = /** @type {{ finding: Finding }} */ (later.get(key) ?? earlier.get(key))
    return { finding, roundsBefore: earlier.get(key)?.count ?? 0, roundsAfter: later.get(key)?.count ?? 0 }
  })
  const was = (/** @type {FindingChange} */ { roundsBefore }) => roundsBefore > before.length / 2
  const is = (/** @type {FindingChange} */ { roundsAfter }) => roundsAfter > after.length / 2
  return {
    gone: changes.filter(change => was(change) && !is(change)),
    came: changes.filter(change => is(change) && !was(change)),
    stayed: changes.filter(change => was(change) && is(change))
  }
}

/** @param {readonly Round[]} rounds @returns {Map<string, { finding: Finding, count: number }>} */
function countFindings (rounds) {
  /** @type {Map<string, { finding: Finding, count: number }>} */
  const counts = new Map()
  for (const { findings } of rounds) {
    const own = new Map(findings.filter(({ severity }) => severity !== 'none').map(finding => [keyOf(finding), finding]))
    for (const [key, finding] of own) counts.set(key, { finding: counts.get(key)?.finding ?? finding, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return counts
}

/** @param {Finding} finding  the key is the same after lines have moved */
function keyOf ({ id, where }) {
  return JSON.stringify(where === null ? [id] : [id, where.function, where.file, where.route])
}

/** @param {Bench} before @param {Bench} after */
function compareFunctions (before, after) {
  if (before.profile === null || after.profile === null) return null
  const rows = changesPerRequest({ ...before.profile, appRoot: before.application.root }, { ...after.profile, appRoot: after.application.root })
  const min = MIN_CHANGE * Math.max(sum(rows, row => row.before), sum(rows, row => row.after))
  return {
    hotter: rows.filter(({ change }) => change >= min).slice(0, MAX_FUNCTIONS),
    colder: rows.filter(({ change }) => change <= -min).slice(-MAX_FUNCTIONS).reverse()
  }
}

/**
 * Per request, not as shares of the busy time: when the heaviest function is removed, the shares of all others grow although their time does
 * not.
 * @param {{ profile: CpuProfile, answered: number, appRoot: string }} before
 * @param {{ profile: CpuProfile, answered: number, appRoot: string }} after
 * @returns {FunctionChange[]} what got hotter first, what got colder last
 */
function changesPerRequest (before, after) {
  const difference = diffProfiles(before.profile, after.profile, { appRoot: after.appRoot })
  const microsBefore = difference.before.busyMs * 1e3 / before.answered
  const microsAfter = difference.after.busyMs * 1e3 / after.answered
  return difference.rows
    .map(({ name, place, selfBefore, selfAfter }) => ({ name, place, before: selfBefore * microsBefore, after: selfAfter * microsAfter }))
    .map(row => ({ ...row, change: row.after - row.before }))
    .filter(({ change }) => change !== 0)
    .sort((a, b) => b.change - a.change)
}

/**
 * Compares how long the requests of each route took, with what the finding that has gone had predicted.
 * @param {readonly Round[]} before
 * @param {readonly Round[]} after
 * @param {readonly string[]} gone  keys of the findings that have gone
 * @returns {RouteChange[]}
 */
function compareRoutes (before, after, gone) {
  const [earlier, later] = [medians(before), medians(after)]
  const predicted = predictions(before, gone)
  return [...earlier].flatMap(([route, was]) => {
    const is = later.get(route)
    return is === undefined ? [] : [{ route, before: was, after: is, predicted: predicted.get(route) ?? null }]
  })
}

/** @param {readonly Round[]} rounds @returns {Map<string, { p50Ms: number, p95Ms: number }>} */
function medians (rounds) {
  const byRoute = groupBy(rounds.flatMap(({ routes = [] }) => routes), ({ route }) => route)
  return new Map([...byRoute].map(([route, some]) => [route, { p50Ms: median(some.map(({ p50Ms }) => p50Ms)), p95Ms: median(some.map(({ p95Ms }) => p95Ms)) }]))
}

/**
 * The range of all rounds whose worst finding has gone.
 * @param {readonly Round[]} rounds
 * @param {readonly string[]} gone
 * @returns {Map<string, { p50Ms: Range, p95Ms: Range }>}
 */
function predictions (rounds, gone) {
  /** @type {Map<string, { p50Ms: Range, p95Ms: Range }>} */
  const ranges = new Map()
  for (const { findings } of rounds) {
    // Findings in files of earlier versions have none.
    const first = findings.find(finding => gone.includes(keyOf(finding)) && finding.prediction?.reason === null)
    for (const { route, p50Ms, p95Ms } of /** @type {Prediction | undefined} */ (first?.prediction ?? undefined)?.routes ?? []) {
      if (p50Ms === null || p95Ms === null) continue
      const known = ranges.get(route)
      ranges.set(route, { p50Ms: joined(known?.p50Ms, p50Ms), p95Ms: joined(known?.p95Ms, p95Ms) })
    }
  }
  return ranges
}

/** @param {Range | undefined} known @param {Range} range @returns {Range} */
function joined (known, { low, high }) {
  return known === undefined ? { low, high } : { low: Math.min(known.low, low), high: Math.max(known.high, high) }
}

module.exports = { chanceOf, compareBenches }
