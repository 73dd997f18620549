'use strict'

// Computes the distance of each node from the roots, over edges that retain. As in DevTools, nodes that only V8's internal roots reach count as far
// away.

const { ROOT } = require('./graph')

/** @import { Graph } from './graph' */
/** @import { WeakMapNames } from './read-graph' */

const UNREACHED = -5
const SYSTEM_DISTANCE = 100_000_000
const NO_EDGE = 0xffffffff

/** Roots that retain something only while the snapshot is taken: a path over them has no name in it, and is a different one each time. */
const MOMENTARY_ROOTS = new Set(['(Stack roots)', '(Handle scope)', 'C++ native stack roots'])

/**
 * @typedef {object} Distances  by node
 * @property {Int32Array} distances
 * @property {Uint32Array} reachedBy  the edge over which it was reached first, or NO_EDGE
 */

/** @param {Graph} graph @param {WeakMapNames} weakMapNames @returns {Distances} UNREACHED where only weak edges lead */
function findDistances (graph, weakMapNames) {
  const distances = new Int32Array(graph.nodeCount).fill(UNREACHED)
  const reachedBy = new Uint32Array(graph.nodeCount).fill(NO_EDGE)
  const passes = createPasses(graph, weakMapNames)
  const userRoots = []
  for (let edge = graph.firstEdge[ROOT]; edge < graph.firstEdge[ROOT + 1]; edge++) {
    const to = graph.edgeTo[edge]
    if (!graph.isUserRoot(to)) continue
    distances[to] = 1
    userRoots.push(to)
  }
  walkBreadthFirst(graph, userRoots, { distances, reachedBy }, passes)
  distances[ROOT] = userRoots.length > 0 ? SYSTEM_DISTANCE : 0
  walkBreadthFirst(graph, [ROOT], { distances, reachedBy }, passes)
  return { distances, reachedBy }
}

/**
 * The shortest paths over the allowed nodes, for every node that has one.
 * @param {Graph} graph
 * @param {(node: number) => boolean} isAllowed
 * @returns {Uint32Array} reachedBy: by node; NO_EDGE if there is no path
 */
function findPaths (graph, isAllowed) {
  const reachedBy = new Uint32Array(graph.nodeCount).fill(NO_EDGE)
  const distances = new Int32Array(graph.nodeCount).fill(UNREACHED)
  const roots = [...graph.edgeTo.subarray(graph.firstEdge[ROOT], graph.firstEdge[ROOT + 1])]
  const userRoots = roots.filter(node => graph.isUserRoot(node))
  const passes = (/** @type {number} */ _, /** @type {number} */ edge) => isAllowed(graph.edgeTo[edge])
  const passesLasting = (/** @type {number} */ node, /** @type {number} */ edge) => passes(node, edge) &&
    !(graph.isSynthetic(graph.edgeTo[edge]) && MOMENTARY_ROOTS.has(graph.nameOf(graph.edgeTo[edge])))
  const gcRoots = roots.filter(node => graph.nameOf(node) === '(GC roots)')
  const walks = [
    { starts: userRoots, mayPass: passes },
    { starts: [ROOT], mayPass: passesLasting },
    { starts: [ROOT, ...gcRoots], mayPass: passes }
  ]
  for (const { starts, mayPass } of walks) {
    for (const start of starts) distances[start] = Math.max(0, distances[start])
    walkBreadthFirst(graph, starts, { distances, reachedBy }, mayPass)
  }
  return reachedBy
}

/**
 * @param {Graph} graph
 * @param {number[]} starts
 * @param {Distances} found  is completed
 * @param {(node: number, edge: number) => boolean} passes
 */
function walkBreadthFirst (graph, starts, { distances, reachedBy }, passes) {
  const { firstEdge, edgeTo, edgeType } = graph
  const weak = graph.edgeTypeOf('weak')
  const queue = new Uint32Array(graph.nodeCount + starts.length)
  queue.set(starts)
  let length = starts.length
  for (let at = 0; at < length; at++) {
    const node = queue[at]
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      const to = edgeTo[edge]
      if (edgeType[edge] === weak || distances[to] !== UNREACHED || !passes(node, edge)) continue
      distances[to] = distances[node] + 1
      reachedBy[to] = edge
      queue[length++] = to
    }
  }
}

/** @param {Graph} graph @param {WeakMapNames} weakMapNames */
function createPasses (graph, weakMapNames) {
  const [hidden, array] = ['hidden', 'array'].map(type => graph.nodeType(type))
  const internal = graph.edgeTypeOf('internal')
  // The value of a WeakMap entry is as far as the farther of key and table: the first edge met is not taken.
  /** @type {Set<number>} */
  const metOnce = new Set()

  /** @param {number} node @param {number} edge */
  return (node, edge) => {
    const type = graph.type[node]
    if (type === hidden && graph.nameOf(node) === 'system / NativeContext' && edgeText(graph, edge) === 'sloppy_function_map') return false
    if (type === array && graph.nameOf(node) === '(map descriptors)') return isDescriptor(Number.parseInt(edgeText(graph, edge), 10))
    if (graph.edgeType[edge] !== internal) return true
    const pair = weakMapNames.get(graph.edgeName[edge])?.pair
    if (pair === undefined || metOnce.delete(pair)) return true
    metOnce.add(pair)
    return false
  }
}

/**
 * Maps share their descriptors: from index 4, every third leads into objects of other maps (crbug.com/413608).
 * @param {number} index
 */
function isDescriptor (index) {
  return index < 2 || index % 3 !== 1
}

/** @param {Graph} graph @param {number} edge */
function edgeText (graph, edge) {
  return graph.hasNumber(edge) ? String(graph.edgeName[edge]) : graph.strings.get(graph.edgeName[edge])
}

module.exports = { findDistances, findPaths, NO_EDGE }
