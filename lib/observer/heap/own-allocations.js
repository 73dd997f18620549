'use strict'

// Removes loopscope's frames from sampled allocations, by the rule for CPU profiles (formats/profile/own-frames.js): their allocations
// count for the nearest function above them, as if they were inlined there. Pure.

const { groupBy, sumBy } = require('../../base/sums')
const { functionKey, toProfileNode } = require('../../formats/profile/heap-tree')
const { flatten } = require('../../formats/profile/nodes')
const { withoutOwnFrames } = require('../../formats/profile/own-frames')

/** @import { ProfileNode } from '../../../types/profile' */
/** @import { SampledNode, SamplingProfile } from '../../formats/profile/heap-tree' */

/** @param {SamplingProfile} profile @returns {SamplingProfile} the same profile if loopscope allocated nothing */
function withoutOwnAllocations (profile) {
  const before = flatten(profile.head)
  const ids = before.map(({ id }) => id)
  // A CPU profile with one sample for each node: where its sample moves, its allocations move.
  const sampled = { nodes: before.map(toProfileNode), samples: ids, timeDeltas: [], startTime: 0, endTime: 0 }
  const clean = withoutOwnFrames(sampled)
  if (clean === sampled) return profile
  const heirOf = new Map(ids.map((id, index) => [id, clean.samples[index]]))
  const bytes = sumBy(before, ({ id }) => /** @type {number} */ (heirOf.get(id)), ({ selfSize }) => selfSize)
  const { head, joined } = nest(clean.nodes, bytes)
  const samples = profile.samples.map(sample => {
    const heir = heirOf.get(sample.nodeId)
    return { ...sample, nodeId: joined.get(heir ?? sample.nodeId) ?? sample.nodeId }
  })
  return { ...profile, head, samples }
}

/**
 * Builds a tree again; calls of one function that now have the same caller become one node.
 * @param {ProfileNode[]} nodes  the root first
 * @param {Map<number, number>} bytes
 */
function nest ([root, ...others], bytes) {
  const byId = new Map(others.map(node => [node.id, node]))
  /** From a node to the one that it was merged into. @type {Map<number, number>} */
  const joined = new Map()
  const head = /** @type {SampledNode} */ ({ id: root.id, callFrame: root.callFrame, selfSize: 0, children: [] })
  const pending = [{ made: head, from: [root] }]
  for (const { made, from } of pending) {
    for (const { id } of from) {
      joined.set(id, made.id)
      made.selfSize += bytes.get(id) ?? 0
    }
    const below = from.flatMap(({ children = [] }) => children.map(id => /** @type {ProfileNode} */ (byId.get(id))))
    for (const group of groupBy(below, ({ callFrame }) => functionKey(callFrame)).values()) {
      const [{ id, callFrame }] = group
      const child = { id, callFrame, selfSize: 0, children: [] }
      made.children.push(child)
      pending.push({ made: child, from: group })
    }
  }
  return { head, joined }
}

module.exports = { withoutOwnAllocations }
