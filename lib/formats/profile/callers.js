'use strict'

// A call tree bottom up: the functions in which time was spent, without idle time, and on request their callers; and the calls of a tree, depth
// first. Callers are computed only for the functions shown: for all functions they would be as many as the frames of all stacks.

const { sumBy } = require('../../base/sums')
const { MAX_STACK_FRAMES } = require('./frame')
const { timeKindOf } = require('./time-kinds')

/** @import { CallTree } from './call-tree' */
/** @import { Frame } from './frame' */

/**
 * @typedef {{ tree: CallTree, caller: Link | null }} Link
 * @typedef {{ at: Link, micros: number }} Path
 *
 * @typedef {object} HeavyFrame
 * @property {Frame} frame
 * @property {number} micros   of the function at the top, as far as it was called through here
 * @property {Path[]} paths    the stacks that make it up
 */

/**
 * @param {CallTree} root
 * @param {(tree: CallTree) => number} [microsOf]  which of the time spent in a function itself counts; all of it
 * @returns {HeavyFrame[]} functions by the time spent in themselves, heaviest first
 */
function bottomUp (root, microsOf = tree => tree.selfMicros) {
  /** @type {Path[]} */
  const paths = []
  /** @type {Link[]} */
  const links = root.children.map(tree => ({ tree, caller: null }))
  for (const link of links) {
    const { frame, children } = link.tree
    const micros = microsOf(link.tree)
    if (micros > 0 && timeKindOf(frame) !== 'idle') paths.push({ at: withoutImplementation(link), micros })
    for (const tree of children) links.push({ tree, caller: link })
  }
  return groupByFrame(paths)
}

/** @param {HeavyFrame} heavy @returns {HeavyFrame[]} heaviest first */
function callersOf ({ paths }) {
  return groupByFrame(paths.flatMap(({ at, micros }) => at.caller ? [{ at: at.caller, micros }] : []))
}

/**
 * @param {HeavyFrame} heavy
 * @returns {HeavyFrame | undefined} the nearest function of the application: itself, or its heaviest caller
 */
function nearestOfApplication (heavy) {
  /** @type {HeavyFrame | undefined} */
  let at = heavy
  for (let level = 0; level < MAX_STACK_FRAMES && at !== undefined && at.frame.origin !== 'app'; level++) [at] = callersOf(at)
  return at?.frame.origin === 'app' ? at : undefined
}

/**
 * JavaScript wrappers of Node.js end in a native function with an uninformative name (`run` under pbkdf2Sync, `spawn` under spawnSync): its time
 * counts as the wrapper's, which has the familiar name.
 * @param {Link} link
 */
function withoutImplementation (link) {
  const { tree, caller } = link
  return tree.frame.origin === 'native' && caller?.tree.frame.origin === 'node' ? caller : link
}

/** @param {Path[]} paths @returns {HeavyFrame[]} */
function groupByFrame (paths) {
  /** @type {Map<Frame, HeavyFrame>} */
  const groups = new Map()
  for (const path of paths) {
    const { frame } = path.at.tree
    const group = groups.get(frame) ?? { frame, micros: 0, paths: [] }
    groups.set(frame, group)
    group.micros += path.micros
    group.paths.push(path)
  }
  return [...groups.values()].sort((a, b) => b.micros - a.micros)
}

/**
 * @param {HeavyFrame} heavy  a function, not a caller
 * @returns {number | undefined} the line (from 1) of the function on which most of its time was spent
 */
function hottestLine ({ paths }) {
  const trees = new Set(paths.map(({ at }) => at.tree))
  const microsByLine = sumBy([...trees].flatMap(({ lines }) => [...lines]), ([line]) => line, ([, micros]) => micros)
  const [hottest] = [...microsByLine].sort(([, a], [, b]) => b - a)
  return hottest?.[0]
}

/**
 * The calls of a tree, depth first, each with the question whether it is part of a recursion: whose time below counts already.
 * @template {{ children: Tree[] }} Tree
 * @template Key
 * @param {readonly Tree[]} trees
 * @param {(tree: Tree) => Key} keyOf  the same for calls of one function
 * @returns {Generator<{ tree: Tree, key: Key, isNested: boolean }>} isNested: the same function is above it
 */
function * callsOf (trees, keyOf) {
  /** How many of a function are open. @type {Map<Key, number>} */
  const open = new Map()
  /** @type {({ tree: Tree } | { left: Key })[]} */
  const waiting = trees.toReversed().map(tree => ({ tree }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('left' in next) {
      open.set(next.left, (open.get(next.left) ?? 0) - 1)
      continue
    }
    const { tree } = next
    const key = keyOf(tree)
    const depth = open.get(key) ?? 0
    yield { tree, key, isNested: depth > 0 }
    open.set(key, depth + 1)
    waiting.push({ left: key })
    for (let at = tree.children.length - 1; at >= 0; at--) waiting.push({ tree: tree.children[at] })
  }
}

module.exports = { bottomUp, callersOf, callsOf, hottestLine, nearestOfApplication }
