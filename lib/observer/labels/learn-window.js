'use strict'

// Votes from a window: where a request's synchronous code is known to have run, the functions on the samples' stacks were at work for its
// route. Pure.

const { parentsOf } = require('../../shared/formats/profile/node-tree')
const { createRouteFinder } = require('./label-samples')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Work } from '../../main/http/middleware' */
/** @import { Knowledge } from './label-samples' */

/**
 * @param {CpuProfile} window  in order
 * @param {readonly Work[]} work  in order of time, not overlapping
 * @param {Knowledge} knowledge  that learns
 */
function learnWindow (window, work, knowledge) {
  const routeAt = createRouteFinder(work)
  /** How many samples of a node were of a route. @type {Map<string, Map<number, number>>} */
  const counts = new Map()
  let at = window.startTime
  window.samples.forEach((id, index) => {
    at += window.timeDeltas[index]
    const route = routeAt(at)
    if (route === null) return
    const ofRoute = counts.get(route) ?? new Map()
    counts.set(route, ofRoute.set(id, (ofRoute.get(id) ?? 0) + 1))
  })
  if (counts.size === 0) return
  const byId = new Map(window.nodes.map(node => [node.id, node]))
  const parents = parentsOf(window.nodes)
  for (const [route, ofRoute] of counts) {
    const number = knowledge.numberOf(route)
    for (const [leaf, count] of ofRoute) {
      for (let id = /** @type {number | undefined} */ (leaf); id !== undefined; id = parents.get(id)) {
        const node = byId.get(id)
        if (node !== undefined) knowledge.addSamples(node.callFrame, number, count)
      }
    }
  }
}

module.exports = { learnWindow }
