'use strict'

// The time at work by route, of a profile whose samples have routes.

const { timeKindOf } = require('./time-kinds')

/** @import { CallTree } from './call-tree' */

/** @typedef {{ route: string | null, micros: number }} RouteTime  null: of no request, or it is not known of which */

/**
 * @param {CallTree} root
 * @returns {RouteTime[]} heaviest first; empty where the profile has no routes
 */
function timesByRoute (root) {
  /** @type {Map<string | null, number>} */
  const micros = new Map()
  const waiting = [root]
  for (const { frame, routes, children } of waiting) {
    for (const child of children) waiting.push(child)
    if (timeKindOf(frame) === 'idle') continue
    for (const [route, spent] of routes) micros.set(route, (micros.get(route) ?? 0) + spent.micros)
  }
  return [...micros].map(([route, micros]) => ({ route, micros })).sort((a, b) => b.micros - a.micros)
}

module.exports = { timesByRoute }
