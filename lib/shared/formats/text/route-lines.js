'use strict'

// The part of the text report that tells whose requests took the time: a row a route, with the function to look at.

const { describeHottest } = require('./hottest-function')
const { row } = require('./rows')
const { timesByRoute } = require('../profile/route-times')

/** @import { CallTree } from '../profile/call-tree' */

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
    row(micros, busyMicros, `${(route ?? NO_ROUTE).padEnd(width)}  ${describeHottest(root, tree => tree.routes.get(route)?.micros ?? 0)}`))
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

module.exports = { routeLines }
