'use strict'

// Which edges keep their target alive in a way that counts for dominators. As DevTools has it.

const { ROOT } = require('./graph')

/** @import { Graph } from './graph' */
/** @import { WeakMapNames } from './weak-map-names' */

/**
 * @param {Graph} graph
 * @param {WeakMapNames} weakMapNames
 * @returns {Uint8Array} 1 or 0 an edge
 */
function essentialEdges (graph, weakMapNames) {
  const essential = new Uint8Array(graph.edgeCount)
  const ofApplication = markOfApplication(graph)
  const [weak, shortcut, internal] = ['weak', 'shortcut', 'internal'].map(type => graph.edgeTypeOf(type))
  const hasPairs = !weakMapNames.isEmpty
  for (let node = 0; node < graph.nodeCount; node++) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      const type = graph.edgeType[edge]
      const to = graph.edgeTo[edge]
      if (type === weak || to === node) continue
      if (node !== ROOT && (type === shortcut || (ofApplication[to] && !ofApplication[node]))) continue
      // The value of a WeakMap entry needs key and table; of the two edges that from the key tells more.
      if (hasPairs && type === internal && weakMapNames.get(graph.edgeName[edge])?.tableId === graph.id[node]) continue
      essential[edge] = 1
    }
  }
  return essential
}

/**
 * What the global objects reach. An edge into it from elsewhere is a debugger's or V8's own.
 * @param {Graph} graph
 */
function markOfApplication (graph) {
  const marks = new Uint8Array(graph.nodeCount)
  const [weak, shortcut, element] = ['weak', 'shortcut', 'element'].map(type => graph.edgeTypeOf(type))
  const pending = []
  for (let edge = graph.firstEdge[ROOT]; edge < graph.firstEdge[ROOT + 1]; edge++) {
    const to = graph.edgeTo[edge]
    const isEntry = graph.edgeType[edge] === shortcut || (graph.edgeType[edge] === element && graph.isSynthetic(to) && graph.isUserRoot(to))
    if (isEntry && !marks[to]) {
      marks[to] = 1
      pending.push(to)
    }
  }
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      const to = graph.edgeTo[edge]
      if (marks[to] || graph.edgeType[edge] === weak) continue
      marks[to] = 1
      pending.push(to)
    }
  }
  return marks
}

module.exports = { essentialEdges }
