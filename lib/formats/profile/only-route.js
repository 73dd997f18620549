'use strict'

// Reduces a profile to the code that ran for one route. Code that ran for others becomes idle time: the profile keeps its duration, and shares of
// busy time are shares of the route's own time. Pure.

const { buildCallTree } = require('./call-tree')
const { idleUnless, withCallers } = require('./nodes')
const { timesByRoute } = require('./time-kinds')
const { errors } = require('../../base/errors')
const { countBy, sum } = require('../../base/sums')

/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { RouteTime } from './time-kinds' */

const MAX_NAMED_ROUTES = 20

/**
 * @param {CpuProfile} profile
 * @param {string | undefined} route  undefined: all of it
 * @returns {{ profile: CpuProfile, notes: string[] }} notes: the route's share of the busy time, as text
 * @throws ERR_LOOPSCOPE_UNKNOWN_ROUTE if no code ran for the route
 */
function onlyRoute (profile, route) {
  if (route === undefined) return { profile, notes: [] }
  const times = timesByRoute(buildCallTree(profile))
  if (!times.some(time => time.route === route)) throw new errors.ERR_LOOPSCOPE_UNKNOWN_ROUTE(route, describeRoutes(times))
  const { names = [], samples: numbers = [] } = profile.routes ?? {}
  const number = names.indexOf(route)
  const { profile: part, idleId } = idleUnless(profile, index => numbers[index] === number)
  return {
    profile: {
      ...part,
      nodes: onlySampled(part.nodes, profile.samples, part.samples),
      routes: { names: [route], samples: part.samples.map(id => id === idleId ? -1 : 0) }
    },
    notes: [describeShare(route, times)]
  }
}

/** @param {RouteTime[]} times */
function describeRoutes (times) {
  const names = times.flatMap(({ route }) => route ?? [])
  if (names.length === 0) return 'none'
  const rest = names.length - MAX_NAMED_ROUTES
  return names.slice(0, MAX_NAMED_ROUTES).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** @param {string} route @param {RouteTime[]} times */
function describeShare (route, times) {
  const busy = sum(times, ({ micros }) => micros)
  const show = (/** @type {string | null} */ wanted) => {
    const { micros } = times.find(time => time.route === wanted) ?? { micros: 0 }
    return { seconds: (micros / 1e6).toFixed(2), percent: `${(busy > 0 ? 100 * micros / busy : 0).toFixed(1)} %` }
  }
  const [own, unknown] = [show(route), show(null)]
  return `only ${route}: ${own.seconds} s of ${(busy / 1e6).toFixed(2)} s of busy time (${own.percent}), the rest counts as idle; ` +
    `${unknown.seconds} s (${unknown.percent}) ran outside requests, or for an unknown one`
}

/**
 * Removes functions that ran only for other routes. V8 records the lines of a node, not of a sample: line ticks are reduced in proportion to the
 * samples.
 * @param {ProfileNode[]} nodes
 * @param {number[]} before
 * @param {number[]} after
 * @returns {ProfileNode[]}
 */
function onlySampled (nodes, before, after) {
  const [hadSamples, hasSamples] = [before, after].map(ids => countBy(ids, id => id))
  const kept = withCallers(nodes, hasSamples.keys())
  return nodes.filter(({ id }) => kept.has(id)).map(node => ({
    ...node,
    children: (node.children ?? []).filter(id => kept.has(id)),
    positionTicks: shareOfTicks(node.positionTicks, (hasSamples.get(node.id) ?? 0) / (hadSamples.get(node.id) ?? 1))
  }))
}

/** @param {ProfileNode['positionTicks']} ticks @param {number} share */
function shareOfTicks (ticks, share) {
  if (ticks === undefined || share >= 1) return ticks
  const all = sum(ticks, one => one.ticks)
  const wanted = share > 0 ? Math.max(1, Math.round(all * share)) : 0
  let seen = 0
  let given = 0
  return ticks.map(one => {
    seen += one.ticks
    const ticks = Math.round(wanted * seen / all) - given
    given += ticks
    return { line: one.line, ticks }
  }).filter(one => one.ticks > 0)
}

module.exports = { onlyRoute }
