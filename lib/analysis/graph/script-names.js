'use strict'

// Where functions are written: a snapshot has lines and the number of a script; its name stands at a node that every function
// of it leads to.

const { NO_LOCATION } = require('./graph')

/** @import { Graph } from './graph' */

const TO_SCRIPT = new Set(['script', 'script_or_debug_info']) // the name changed with V8 12

/**
 * @param {Graph} graph
 * @returns {Map<number, string>} by the script's number: file or URL
 */
function findScriptNames (graph) {
  const closure = graph.nodeType('closure')
  /** @type {Map<number, string>} */
  const names = new Map()
  for (let node = 0; node < graph.nodeCount; node++) {
    const location = graph.locations[graph.locationOf[node]]
    if (graph.type[node] !== closure || location === null || names.has(location.script)) continue
    const shared = follow(graph, node, name => name === 'shared')
    const script = shared === undefined ? undefined : follow(graph, shared, name => TO_SCRIPT.has(name))
    if (script !== undefined) names.set(location.script, graph.nameOf(script))
  }
  return names
}

/**
 * @param {Graph} graph
 * @param {number} node
 * @param {(name: string) => boolean} isWanted
 */
function follow (graph, node, isWanted) {
  const internal = graph.edgeTypeOf('internal')
  for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
    if (graph.edgeType[edge] === internal && isWanted(graph.strings.get(graph.edgeName[edge]))) return graph.edgeTo[edge]
  }
}

/**
 * @param {Graph} graph
 * @param {Map<number, string>} scriptNames
 */
function createPlaceFinder (graph, scriptNames) {
  /**
   * @param {number} node
   * @returns {{ file: string, line: number } | null} line from 1
   */
  return node => {
    const location = graph.locationOf[node] === NO_LOCATION ? null : graph.locations[graph.locationOf[node]]
    const file = location && scriptNames.get(location.script)
    return location && file ? { file, line: location.line + 1 } : null
  }
}

module.exports = { findScriptNames, createPlaceFinder }
