'use strict'

// The table of classes of one snapshot: how many objects, their own size, what they keep alive, and how near to the roots.

const { toClassRows } = require('./class-rows')
const { createMatcher, inferInterfaces } = require('../graph/interfaces')

/** @import { Analysis } from './analyze' */
/** @import { ClassRows } from './class-rows' */

/**
 * @typedef {object} ClassSummary
 * @property {string} key
 * @property {string} name
 * @property {number} count
 * @property {number} shallowBytes
 * @property {number} retainedBytes
 * @property {number} distance  the least of its objects
 */

/**
 * @param {Analysis} analysis
 * @returns {ClassSummary[]} what retains the most first
 */
function summarize (analysis) {
  const { graph, dominators: { order, endOf, retainedSize } } = analysis
  const { distances } = analysis.ways()
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

/**
 * @param {Analysis} analysis
 * @returns {{ rowOfNode: Uint32Array, rows: ClassRows['rows'] }}
 */
function classifyNodes ({ raw }) {
  const match = createMatcher(inferInterfaces(raw.shapes))
  const names = raw.shapes.map(({ properties }) => match(properties))
  const { rowOf, rows } = toClassRows(raw.classes, shape => names[shape])
  return { rowOfNode: raw.classOf.map(rawClass => rowOf[rawClass]), rows }
}

module.exports = { summarize, classifyNodes }
