'use strict'

// The part of the text report that tells whose requests took the time: a row a route, with the function to look at.

const { describeFunction, nameOf, row } = require('./rows')
const { bottomUp, callersOf } = require('../profile/callers')
const { timesByRoute } = require('../profile/route-times')

/** @import { CallTree } from '../profile/call-tree' */
/** @import { HeavyFrame } from '../profile/callers' */

const MAX_ROUTES = 15
const MAX_ROUTE_WIDTH = 40

const NO_ROUTE = 'no request, or not known'

/**
 * @param {CallTree} root
 * @param {number} busyMicros
 * @returns {string[]} none where the profile has no routes
 */
function routeLines (root, busyMicros) {
  const times = timesByRoute(root).filter(({ micros }) => micros > 0)
  if (times.every(({ route }) => route === null)) return []
  const routes = times.filter(({ route }) => route !== null)
  const shown = [...routes.slice(0, MAX_ROUTES), ...times.filter(({ route }) => route === null)]
  const rest = routes.slice(MAX_ROUTES)
  const width = Math.min(MAX_ROUTE_WIDTH, Math.max(...shown.map(({ route }) => (route ?? NO_ROUTE).length)))
  const lines = shown.map(({ route, micros }) =>
    row(micros, busyMicros, `${(route ?? NO_ROUTE).padEnd(width)}  ${describeHottest(root, route)}`))
  if (rest.length > 0) {
    lines.push(row(rest.reduce((sum, { micros }) => sum + micros, 0), busyMicros, `everything else (${rest.length} routes)`))
  }
  return [
    ' [Routes]: whose requests took the time',
    '',
    `         ms   busy  ${'route'.padEnd(width)}  the function in which most of it was spent`,
    ...lines
  ]
}

/**
 * @param {CallTree} root
 * @param {string | null} route
 */
function describeHottest (root, route) {
  const [heavy] = bottomUp(root, tree => tree.routes.get(route)?.micros ?? 0)
  const caller = nearestOfApplication(heavy)
  return caller === undefined || caller === heavy ? describeFunction(heavy) : `${nameOf(heavy.frame)}, called by ${nameOf(caller.frame)}`
}

/**
 * @param {HeavyFrame} heavy
 * @returns {HeavyFrame | undefined} itself, or who called it most
 */
function nearestOfApplication (heavy) {
  /** @type {HeavyFrame | undefined} */
  let at = heavy
  while (at !== undefined && at.frame.origin !== 'app') [at] = callersOf(at)
  return at
}

module.exports = { routeLines }
