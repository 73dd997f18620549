'use strict'

// The nodes of a profile: their tree, of which V8 writes only the children of each, and those of idle time. Pure.

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

/**
 * @param {readonly Pick<ProfileNode, 'id' | 'children'>[]} nodes
 * @returns {Map<number, number>} by the id of a node, that of the one above it
 */
function parentsOf (nodes) {
  return new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => /** @type {[number, number]} */ ([child, id]))))
}

/**
 * @param {readonly Pick<ProfileNode, 'id' | 'children'>[]} nodes
 * @param {Iterable<number>} ids  of some of them
 * @returns {Set<number>} these, and all above them
 */
function withCallers (nodes, ids) {
  const parents = parentsOf(nodes)
  /** @type {Set<number>} */
  const found = new Set()
  for (const id of ids) {
    for (let at = /** @type {number | undefined} */ (id); at !== undefined && !found.has(at); at = parents.get(at)) found.add(at)
  }
  return found
}

/** @template {{ children: T[] }} T @param {T} root @returns {T[]} it and all below it, callers before what they call */
function flatten (root) {
  const nodes = [root]
  for (const { children } of nodes) for (const child of children) nodes.push(child)
  return nodes
}

/** A frame for what is not a function, as V8 has it. @param {string} functionName @returns {Readonly<CallFrame>} */
function metaFrame (functionName) {
  return Object.freeze({ functionName, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })
}

const IDLE = metaFrame('(idle)')

/** @param {ProfileNode} node */
function isIdle ({ callFrame: { functionName, url } }) {
  return functionName === IDLE.functionName && url === ''
}

/** @param {readonly ProfileNode[]} nodes */
function idleIds (nodes) {
  return new Set(nodes.filter(isIdle).map(({ id }) => id))
}

/**
 * @param {ProfileNode[]} nodes
 * @param {CallFrame} callFrame
 * @returns {{ nodes: ProfileNode[], id: number }} with one more, below the root
 */
function withNode (nodes, callFrame) {
  const id = nodes.reduce((most, node) => Math.max(most, node.id), 0) + 1
  const childIds = new Set(nodes.flatMap(({ children = [] }) => children))
  const withChild = nodes.map(node => childIds.has(node.id) ? node : { ...node, children: [...node.children ?? [], id] })
  return { nodes: [...withChild, { id, callFrame }], id }
}

/** @param {ProfileNode[]} nodes @returns {{ nodes: ProfileNode[], id: number }} id: of the node of idle time */
function withIdle (nodes) {
  const known = nodes.find(isIdle)
  return known === undefined ? withNode(nodes, IDLE) : { nodes, id: known.id }
}

/**
 * Turns some samples of a profile into idle time. Its duration stays the same, and shares of busy time are shares of the remaining samples.
 * @param {CpuProfile} profile
 * @param {(index: number) => boolean} isKept  whether a sample stays unchanged
 * @returns {{ profile: CpuProfile, idleId: number }} idleId: the node of the other samples
 */
function idleUnless (profile, isKept) {
  const { nodes, id: idleId } = withIdle(profile.nodes)
  const samples = profile.samples.map((id, index) => isKept(index) ? id : idleId)
  return { profile: { ...profile, nodes, samples }, idleId }
}

module.exports = { flatten, idleIds, idleUnless, metaFrame, parentsOf, withCallers, withIdle, withNode }
