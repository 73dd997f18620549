'use strict'

// Builds a tree from the nodes of a profile: V8 writes only the children of each. Pure.

/** @import { ProfileNode } from '../../../types/profile' */

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

module.exports = { parentsOf, withCallers }
