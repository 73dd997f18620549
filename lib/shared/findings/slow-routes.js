'use strict'

// The routes whose requests take long, whatever for. Pure.

/** @import { Readings } from './readings' */

// What a person notices, as a mean of all requests of a route.
const SLOW_MS = 500
const MIN_REQUESTS = 5

/**
 * @param {Readings} readings
 * @returns {{ route: string, count: number, meanMs: number }[]} of the observed time, those with the most time in all first
 */
function slowRoutes ({ pace }) {
  return pace.routes.filter(({ count }) => count >= MIN_REQUESTS)
    .map(({ route, count, seconds }) => ({ route, count, meanMs: seconds * 1e3 / count }))
    .filter(({ meanMs }) => meanMs >= SLOW_MS)
    .sort((left, right) => right.meanMs * right.count - left.meanMs * left.count)
}

module.exports = { MIN_REQUESTS, slowRoutes }
