'use strict'

// A call tree as flat lists, the form in which the page receives it: no depth that JSON or a parser could trip over.

const { placeOf } = require('../profile/frame')
const { timeKindOf } = require('../profile/time-kinds')

/** @import { CallTree } from '../profile/call-tree' */
/** @import { Frame } from '../profile/frame' */

/**
 * @typedef {object} Graph
 * @property {'time' | 'bytes'} unit  of the numbers: microseconds, or bytes
 * @property {[name: string, place: string, kind: string][]} frames
 * @property {[parent: number, frame: number, total: number, self: number][]} nodes  parents first; the root's parent is -1
 */

/**
 * @template {{ frame: Frame, children: Tree[] }} Tree
 * @param {Tree} root
 * @param {{ unit: Graph['unit'], self: (tree: Tree) => number, total: (tree: Tree) => number }} weights
 * @returns {Graph}
 */
function describeGraph (root, { unit, self, total }) {
  const frameIndexes = new Map()
  /** @type {Graph} */
  const graph = { unit, frames: [], nodes: [] }
  const waiting = [{ tree: root, parent: -1 }]
  for (const { tree, parent } of waiting) {
    const { frame, children } = tree
    if (!frameIndexes.has(frame)) {
      frameIndexes.set(frame, graph.frames.length)
      graph.frames.push([frame.name, placeOf(frame), tree === root ? 'all' : timeKindOf(frame)])
    }
    const index = graph.nodes.length
    graph.nodes.push([parent, frameIndexes.get(frame), Math.round(total(tree)), Math.round(self(tree))])
    const heaviestFirst = children.filter(child => total(child) > 0).sort((a, b) => total(b) - total(a))
    for (const child of heaviestFirst) waiting.push({ tree: child, parent: index })
  }
  return graph
}

/** @param {CallTree} root */
function describeTimes (root) {
  return describeGraph(root, { unit: 'time', self: tree => tree.selfMicros, total: tree => tree.totalMicros })
}

module.exports = { describeGraph, describeTimes }
