'use strict'

// Gives the size of V8's internal objects (arrays behind objects, hidden nodes, the bytes of external strings) to the one
// object that owns them, so that a Map is as large as its table. As DevTools does.

const { ROOT } = require('./graph')

/** @import { Graph } from './graph' */

const UNVISITED = 0xffffffff
const SEVERAL = 0xfffffffe

/**
 * @param {Graph} graph  its sizes are changed; the sum stays
 */
function transferOwnedSizes (graph) {
  // Without user roots V8 was asked for its internals, and they are what somebody wants to see.
  if (!hasUserRoots(graph)) return
  const owners = findOwners(graph)
  for (let node = 0; node < graph.nodeCount; node++) {
    const owner = owners[node]
    if (owner === UNVISITED || owner === SEVERAL || owner === node || owner === ROOT || graph.isSynthetic(owner)) continue
    graph.selfSize[owner] += graph.selfSize[node]
    graph.selfSize[node] = 0
  }
}

/** @param {Graph} graph */
function hasUserRoots (graph) {
  for (let edge = graph.firstEdge[ROOT]; edge < graph.firstEdge[ROOT + 1]; edge++) {
    if (graph.isUserRoot(graph.edgeTo[edge])) return true
  }
  return false
}

/** @param {Graph} graph */
function findOwners (graph) {
  const { nodeCount, firstEdge, edgeType, edgeTo } = graph
  const owners = new Uint32Array(nodeCount)
  const isOwnable = ownable(graph)
  for (let node = 0; node < nodeCount; node++) owners[node] = isOwnable(node) ? UNVISITED : node
  const weak = graph.edgeTypeOf('weak')
  // What has an owner now, or several: it passes that on. No node gets into it more than twice.
  /** @type {number[]} */
  const pending = []
  /** @param {number} node */
  const visit = node => {
    const owner = owners[node]
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      const to = edgeTo[edge]
      const other = owners[to]
      if (other === to || other === owner || other === SEVERAL || edgeType[edge] === weak) continue
      owners[to] = other === UNVISITED ? owner : SEVERAL
      pending.push(to)
    }
  }
  for (let start = 0; start < nodeCount; start++) {
    if (owners[start] !== start) continue
    visit(start)
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) visit(node)
  }
  return owners
}

/** @param {Graph} graph */
function ownable (graph) {
  const [hidden, array, native] = ['hidden', 'array', 'native'].map(type => graph.nodeType(type))
  /** @param {number} node */
  return node => {
    const type = graph.type[node]
    return type === hidden || type === array || (type === native && graph.nameOf(node) === 'system / ExternalStringData')
  }
}

module.exports = { transferOwnedSizes, hasUserRoots }
