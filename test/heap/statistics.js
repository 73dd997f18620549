'use strict'

// What a heap is made of: the figures of DevTools' "Statistics" view and its table of classes, computed from the graph that was read.

const { classifyNodes } = require('../../lib/heap-diff/comparison/class-rows')
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

/**
 * The classes of one snapshot: how many objects, their own size, what they keep alive, and how near to the roots; what retains the most first.
 * @param {Analysis} analysis
 */
function summarize (analysis) {
  const { graph, dominators: { order, endOf, retainedSize } } = analysis
  const { distances } = analysis.paths()
  const { rowOfNode, rows } = classifyNodes(analysis)
  const summaries = rows.map(({ key, name }) => ({ key, name, count: 0, shallowBytes: 0, retainedBytes: 0, distance: Infinity }))
  const coveredTo = new Uint32Array(rows.length)
  for (let position = 0; position < order.length; position++) {
    const node = order[position]
    if (graph.selfSize[node] === 0) continue
    const row = rowOfNode[node]
    const summary = summaries[row]
    summary.count++
    summary.shallowBytes += graph.selfSize[node]
    summary.distance = Math.min(summary.distance, distances[node])
    if (position < coveredTo[row]) continue // one of its class dominates it: counted there
    coveredTo[row] = endOf[node]
    summary.retainedBytes += retainedSize[node]
  }
  return summaries.filter(({ count }) => count > 0).sort((a, b) => b.retainedBytes - a.retainedBytes)
}

module.exports = { statisticsOf, summarize }
