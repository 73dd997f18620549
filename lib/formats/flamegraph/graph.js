'use strict'

// A call tree as flat lists, the form in which the page receives it: no depth that JSON or a parser could trip over.

const { placeOf } = require('../frame')
const { timeKindOf } = require('../time-kinds')

/** @import { CallTree } from '../call-tree' */

/**
 * @typedef {object} Graph
 * @property {[name: string, place: string, kind: string][]} frames
 * @property {[parent: number, frame: number, totalMicros: number, selfMicros: number][]} nodes  parents first; the root's parent is -1
 */

/**
 * @param {CallTree} root
 * @returns {Graph}
 */
function describeGraph (root) {
  const frameIndexes = new Map()
  /** @type {Graph} */
  const graph = { frames: [], nodes: [] }
  const waiting = [{ tree: root, parent: -1 }]
  for (const { tree, parent } of waiting) {
    const { frame, totalMicros, selfMicros, children } = tree
    if (!frameIndexes.has(frame)) {
      frameIndexes.set(frame, graph.frames.length)
      graph.frames.push([frame.name, placeOf(frame), tree === root ? 'all' : timeKindOf(frame)])
    }
    const index = graph.nodes.length
    graph.nodes.push([parent, frameIndexes.get(frame), Math.round(totalMicros), Math.round(selfMicros)])
    for (const child of heaviestFirst(children)) waiting.push({ tree: child, parent: index })
  }
  return graph
}

/** @param {CallTree[]} trees */
function heaviestFirst (trees) {
  return trees.filter(({ totalMicros }) => totalMicros > 0).sort((a, b) => b.totalMicros - a.totalMicros)
}

module.exports = { describeGraph }
