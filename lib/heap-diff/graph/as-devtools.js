'use strict'

// Adjusts a snapshot as Chrome DevTools does before it shows it: propagates which native objects are detached, and adds the sizes of V8's internal
// objects to their owners.

const { ROOT } = require('./graph')

/** @import { Graph } from './graph' */

const UNKNOWN = 0
const ATTACHED = 1
const DETACHED = 2

// Owners of a node.
const UNVISITED = 0xffffffff
const SEVERAL = 0xfffffffe

/**
 * Native objects that know whether they are attached pass it on to the native objects that they hold: what an attached one holds is attached, what
 * only a detached one holds is detached.
 * @param {Graph} graph  its detachedness is completed
 */
function spreadDetachedness (graph) {
  if (!graph.detachedness.some(state => state !== UNKNOWN)) return
  const visited = new Uint8Array(graph.nodeCount)
  /** @type {Record<number, number[]>} */
  const queues = { [ATTACHED]: [], [DETACHED]: [] }
  const visit = visitor(graph, visited, queues)
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.detachedness[node] !== UNKNOWN) visit(node, graph.detachedness[node])
  }
  for (const state of [ATTACHED, DETACHED]) spread(graph, queues[state], state, visit)
}

/** @param {Graph} graph @param {Uint8Array} visited @param {Record<number, number[]>} queues */
function visitor (graph, visited, queues) {
  const native = graph.nodeType('native')
  /** @param {number} node @param {number} state */
  return (node, state) => {
    if (visited[node]) return
    visited[node] = 1
    const isNative = graph.type[node] === native
    graph.detachedness[node] = isNative ? state : UNKNOWN
    if (isNative) queues[state]?.push(node)
  }
}

/**
 * @param {Graph} graph
 * @param {number[]} queue
 * @param {number} state
 * @param {(node: number, state: number) => void} visit
 */
function spread (graph, queue, state, visit) {
  const skipped = ['hidden', 'weak'].map(type => graph.edgeTypeOf(type))
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      if (!skipped.includes(graph.edgeType[edge])) visit(graph.edgeTo[edge], state)
    }
  }
}

/**
 * Gives the size of V8's internal objects (arrays behind objects, hidden nodes, the bytes of external strings) to the one object that owns them, so
 * that a Map is as large as its table.
 * @param {Graph} graph  its sizes are changed; the sum stays
 */
function transferOwnedSizes (graph) {
  // Without user roots V8 was asked for its internals, so they are shown.
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

module.exports = { DETACHED, spreadDetachedness, transferOwnedSizes }
