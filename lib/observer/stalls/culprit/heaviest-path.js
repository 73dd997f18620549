'use strict'

// The way through a call tree that most of the time went. Pure.

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */

/**
 * From the root's heaviest child down, always into the heaviest one, while something below is heavier than the node itself.
 * @param {CallTree} root
 * @returns {CallTree[]} outermost first; none where no code ran
 */
function heaviestPath (root) {
  const path = []
  let node = heaviest(root.children.filter(({ frame }) => frame.origin !== 'meta'))
  while (node !== undefined) {
    path.push(node)
    const child = heaviest(node.children)
    node = child !== undefined && child.totalMicros >= node.selfMicros ? child : undefined
  }
  return path
}

/** @param {CallTree[]} trees */
function heaviest (trees) {
  return trees.reduce((/** @type {CallTree | undefined} */ most, tree) =>
    tree.totalMicros > (most?.totalMicros ?? 0) ? tree : most, undefined)
}

module.exports = { heaviestPath }
