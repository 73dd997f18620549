'use strict'

// Converts a call tree to flat lists, the form in which the page receives it: no nesting that could exceed the depth limit of a JSON parser.

const { packageOf, placeOf } = require('../profile/frame')
const { timeKindOf } = require('../profile/time-kinds')

/** @import { CallTree } from '../profile/call-tree' */
/** @import { Frame } from '../profile/frame' */

/**
 * @typedef {object} Graph
 * @property {'time' | 'bytes'} unit  of the numbers: microseconds, or bytes
 * @property {GraphFrame[]} frames
 * @property {[parent: number, frame: number, ...selves: number[]][]} nodes  parents first; the root's parent is -1. One amount of its
 *   own; of a difference that of after, and that of before
 * @property {GraphRoutes} [routes]  where the profile has some
 *
 * @typedef {[name: string, place: string, kind: string, package: string]} GraphFrame  package: of a dependency, or Node.js; else ''
 *
 * @typedef {object} GraphRoutes  which part of a node's own time was spent for which route
 * @property {string[]} names
 * @property {[node: number, route: number, ...selves: number[]][]} times  route -1: of no request, or unknown
 */

/**
 * @template {{ frame: Frame, children: Tree[] }} Tree
 * @param {Tree} root
 * @param {object} weights
 * @param {Graph['unit']} weights.unit
 * @param {(tree: Tree) => number[]} weights.selves
 * @param {(tree: Tree) => number} weights.total  what has none is left out
 * @param {(tree: Tree) => Map<string | null, number[]>} [weights.routes]
 * @returns {Graph}
 */
function describeGraph (root, { unit, selves, total, routes = () => new Map() }) {
  const frameIndexes = new Map()
  /** @type {Graph} */
  const graph = { unit, frames: [], nodes: [] }
  const times = new RouteTimes()
  const waiting = [{ tree: root, parent: -1 }]
  for (const { tree, parent } of waiting) {
    const { frame, children } = tree
    if (!frameIndexes.has(frame)) {
      frameIndexes.set(frame, graph.frames.length)
      graph.frames.push(describeGraphFrame(frame, tree === root))
    }
    const index = graph.nodes.length
    graph.nodes.push([parent, frameIndexes.get(frame), ...selves(tree).map(Math.round)])
    times.add(index, routes(tree))
    for (const child of children) if (total(child) > 0) waiting.push({ tree: child, parent: index })
  }
  return times.names.length === 0 ? graph : { ...graph, routes: { names: times.names, times: times.times } }
}

class RouteTimes {
  /** @type {string[]} */
  names = []
  /** @type {GraphRoutes['times']} */
  times = []
  /** @type {Map<string | null, number>} */
  #numbers = new Map([[null, -1]])

  /** @param {number} node @param {Map<string | null, number[]>} routes */
  add (node, routes) {
    for (const [route, selves] of routes) {
      const number = this.#numbers.get(route) ?? this.names.push(/** @type {string} */ (route)) - 1
      this.#numbers.set(route, number)
      this.times.push([node, number, ...selves.map(Math.round)])
    }
  }
}

/** @param {Frame} frame @param {boolean} isRoot @returns {GraphFrame} */
function describeGraphFrame (frame, isRoot) {
  const kind = isRoot ? 'all' : timeKindOf(frame)
  const owner = kind === 'node' ? 'Node.js' : kind === 'dependency' ? packageOf(frame.file) : ''
  return [frame.name, placeOf(frame), kind, owner]
}

/** @param {CallTree} root @returns {Graph} */
function describeTimes (root) {
  return describeGraph(root, {
    unit: 'time',
    selves: tree => [tree.selfMicros],
    total: tree => tree.totalMicros,
    routes: tree => new Map([...tree.routes].map(([route, { micros }]) => [route, [micros]]))
  })
}

module.exports = { describeGraph, describeTimes }
