'use strict'

// What grew may be a scope, which has no name in the source, because one of its variables is always another object: the head of a list.

/** @import { Analysis } from '../comparison/analyze' */

const SCOPE = 'system / Context'
const LEAST_SHARE = 0.5 // of what the scope keeps

/**
 * @param {Pick<Analysis, 'graph' | 'dominators'>} analysis
 * @param {number} node
 * @returns {number | null} the edge of the variable that keeps most of it; null where it is no scope, or no variable does
 */
function largestVariable ({ graph, dominators: { retainedSize } }, node) {
  if (graph.nameOf(node) !== SCOPE) return null
  const ofVariable = graph.edgeTypeOf('context')
  let largest = null
  let largestBytes = retainedSize[node] * LEAST_SHARE
  for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
    const bytes = retainedSize[graph.edgeTo[edge]]
    // What keeps more than the scope is kept by others.
    if (graph.edgeType[edge] !== ofVariable || bytes < largestBytes || bytes > retainedSize[node]) continue
    largest = edge
    largestBytes = bytes
  }
  return largest
}

module.exports = { largestVariable }
