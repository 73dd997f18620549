'use strict'

// The time in synchronous calls by API and route, as the metrics have it. Pure.

const { exactParts, roundedSum } = require('../../base/sums')

const MAX_ROUTES = 20 // of a call site; the others are counted together

/** @typedef {{ api: string, route: string, calls: number, seconds: number }} SyncCallSum  calls: 0 where they are not counted */

/**
 * @param {{ api: string, routes: { route: string | null, ms: number, calls?: number }[] }[]} sites
 * @returns {SyncCallSum[]}
 */
function sumByRoute (sites) {
  /** @type {Map<string, { api: string, route: string, calls: number, ms: number[] }>} */
  const sums = new Map()
  for (const { api, routes } of sites) {
    for (const { route, ms, calls = 0 } of routes) {
      const template = templateOf(route)
      const key = `${api} ${template}`
      const sum = sums.get(key) ?? { api, route: template, calls: 0, ms: [] }
      sum.calls += calls
      sum.ms.push(ms)
      sums.set(key, sum)
    }
  }
  // The order of sites changes as they grow.
  return [...sums.values()].map(({ ms, ...sum }) => ({ ...sum, seconds: roundedSum(exactParts(ms)) / 1e3 }))
}

/**
 * As the metrics of requests label it, where the method is a label of its own.
 * @param {string | null} route  `METHOD /path`
 */
function templateOf (route) {
  return route === null ? '' : route.slice(route.indexOf(' ') + 1)
}

module.exports = { MAX_ROUTES, sumByRoute, templateOf }
