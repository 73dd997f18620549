'use strict'

// The nodes of a snapshot that are of these diagnostics themselves: their functions, objects and timers. A way over them says how the process
// is observed, not who keeps something.

const { OWN_FOLDER } = require('../../shared/base/own-files')

/** @import { Graph } from '../graph/graph' */
/** @import { Place } from './retainer-path' */

const INSTALLED = /[\\/]node_modules[\\/]loopscope[\\/]lib[\\/]/
const CALLBACK = '_onTimeout' // of a timer

/**
 * @param {Graph} graph
 * @param {(node: number) => Place | null} placeOf
 * @returns {Uint8Array} by node: 1 where it is
 */
function findOwnNodes (graph, placeOf) {
  const isOwn = new Uint8Array(graph.nodeCount)
  for (let node = 0; node < graph.nodeCount; node++) {
    const file = placeOf(node)?.file
    if (file !== undefined && isOwnFile(file)) isOwn[node] = 1
  }
  const property = graph.edgeTypeOf('property')
  const timers = []
  for (let node = 0; node < graph.nodeCount; node++) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      if (isOwn[graph.edgeTo[edge]] === 1 && graph.edgeType[edge] === property && graph.strings.get(graph.edgeName[edge]) === CALLBACK) timers.push(node)
    }
  }
  for (const timer of timers) isOwn[timer] = 1
  return isOwn
}

/** @param {string} file  path or URL */
function isOwnFile (file) {
  return INSTALLED.test(file) || file.replace(/^file:\/\//, '').startsWith(OWN_FOLDER)
}

module.exports = { findOwnNodes }
