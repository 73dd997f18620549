'use strict'

// What a heap is made of: the figures of DevTools' "Statistics" view, computed from the graph that was read.

const { ROOT } = require('../../lib/heap-diff/graph/graph')

/** @import { Analysis } from '../../lib/heap-diff/comparison/load-snapshots' */
/** @import { Graph } from '../../lib/heap-diff/graph/graph' */

/**
 * @param {Analysis} analysis
 */
function statisticsOf ({ graph, heapBytes }) {
  const bytes = { hidden: 0, native: graph.extraNativeBytes, code: 0, string: 0, array: 0, typedArrays: 0 }
  const retainers = countRetainers(graph)
  for (let node = 0; node < graph.nodeCount; node++) {
    const size = graph.selfSize[node]
    const type = graph.nodeTypes[graph.type[node]]
    if (type === 'hidden' || type === 'code') bytes[type] += size
    else if (type === 'native') {
      bytes.native += size
      if (graph.nameOf(node) === 'system / JSArrayBufferData') bytes.typedArrays += size
    } else if (type.endsWith('string')) bytes.string += size
    else if (graph.nameOf(node) === 'Array') bytes.array += size + elementsSize(graph, node, retainers)
  }
  return {
    totalBytes: heapBytes,
    nativeBytes: bytes.native,
    typedArrayBytes: bytes.typedArrays,
    codeBytes: bytes.code,
    stringBytes: bytes.string,
    arrayBytes: bytes.array,
    systemBytes: bytes.hidden
  }
}

/** @param {Graph} graph */
function countRetainers ({ nodeCount, edgeCount, edgeTo }) {
  const counts = new Uint32Array(nodeCount)
  for (let edge = 0; edge < edgeCount; edge++) counts[edgeTo[edge]]++
  return counts
}

/**
 * @param {Graph} graph
 * @param {number} node
 * @param {Uint32Array} retainers
 */
function elementsSize (graph, node, retainers) {
  const internal = graph.edgeTypeOf('internal')
  for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
    if (graph.edgeType[edge] !== internal || graph.strings.get(graph.edgeName[edge]) !== 'elements') continue
    const elements = graph.edgeTo[edge]
    return elements !== ROOT && retainers[elements] === 1 ? graph.selfSize[elements] : 0
  }
  return 0
}

module.exports = { statisticsOf }
