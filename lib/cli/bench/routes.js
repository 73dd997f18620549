'use strict'

// Compares how long the requests of each route took in two benchmarks, with what the finding that has gone had predicted. Pure.

/** @import { Prediction } from '../../../types/what-if' */
/** @import { Round } from './result-file' */

/**
 * @typedef {{ route: string, p50Ms: number, p95Ms: number }} MeasuredRoute
 * @typedef {{ low: number, high: number }} Range
 *
 * @typedef {object} RouteChange  medians of the rounds, in milliseconds
 * @property {string} route
 * @property {{ p50Ms: number, p95Ms: number }} before
 * @property {{ p50Ms: number, p95Ms: number }} after
 * @property {{ p50Ms: Range, p95Ms: Range } | null} predicted  null: no finding that has gone had a prediction for it
 */

/**
 * @param {readonly Round[]} before
 * @param {readonly Round[]} after
 * @param {readonly string[]} gone  ids of the findings that have gone
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

/**
 * @param {readonly Round[]} rounds
 * @returns {Map<string, { p50Ms: number, p95Ms: number }>}
 */
function medians (rounds) {
  /** @type {Map<string, MeasuredRoute[]>} */
  const byRoute = new Map()
  for (const { routes = [] } of rounds) for (const one of routes) byRoute.set(one.route, [...byRoute.get(one.route) ?? [], one])
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
    const first = findings.find(({ id, prediction }) => gone.includes(id) && prediction?.reason === null)
    for (const { route, p50Ms, p95Ms } of /** @type {Prediction | undefined} */ (first?.prediction ?? undefined)?.routes ?? []) {
      if (p50Ms === null || p95Ms === null) continue
      const known = ranges.get(route)
      ranges.set(route, { p50Ms: joined(known?.p50Ms, p50Ms), p95Ms: joined(known?.p95Ms, p95Ms) })
    }
  }
  return ranges
}

/**
 * @param {Range | undefined} known
 * @param {Range} range
 * @returns {Range}
 */
function joined (known, { low, high }) {
  return known === undefined ? { low, high } : { low: Math.min(known.low, low), high: Math.max(known.high, high) }
}

/** @param {number[]} values */
function median (values) {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

module.exports = { compareRoutes }
