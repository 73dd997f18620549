'use strict'

// Native objects that know whether they are attached pass it on to the native objects that they hold, as in DevTools: what an
// attached one holds is attached, what only a detached one holds is detached.

/** @import { Graph } from './graph' */

const UNKNOWN = 0
const ATTACHED = 1
const DETACHED = 2

/**
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

/**
 * @param {Graph} graph
 * @param {Uint8Array} visited
 * @param {Record<number, number[]>} queues
 */
function visitor (graph, visited, queues) {
  const native = graph.nodeType('native')
  /**
   * @param {number} node
   * @param {number} state
   */
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

module.exports = { spreadDetachedness, DETACHED }
