'use strict'

// Turns some samples of a profile into idle time. The duration of the profile stays the same, and shares of busy time are shares of the remaining
// samples. Pure.

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

/** @type {CallFrame} */
const IDLE = Object.freeze({ functionName: '(idle)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

/**
 * @param {CpuProfile} profile
 * @param {(index: number) => boolean} isKept  whether a sample stays unchanged
 * @returns {{ profile: CpuProfile, idleId: number }} idleId: the node of the other samples
 */
function idleUnless (profile, isKept) {
  const nodes = withIdle(profile.nodes)
  const { id: idleId } = /** @type {ProfileNode} */ (nodes.find(isIdle))
  const samples = profile.samples.map((id, index) => isKept(index) ? id : idleId)
  return { profile: { ...profile, nodes, samples }, idleId }
}

/** @param {ProfileNode} node */
function isIdle ({ callFrame: { functionName, url } }) {
  return functionName === IDLE.functionName && url === ''
}

/**
 * @param {ProfileNode[]} nodes
 * @returns {ProfileNode[]}
 */
function withIdle (nodes) {
  if (nodes.some(isIdle)) return nodes
  const id = nodes.reduce((most, node) => Math.max(most, node.id), 0) + 1
  const childIds = new Set(nodes.flatMap(({ children = [] }) => children))
  return [
    ...nodes.map(node => childIds.has(node.id) ? node : { ...node, children: [...node.children ?? [], id] }),
    { id, callFrame: IDLE }
  ]
}

module.exports = { idleUnless }
