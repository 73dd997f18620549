'use strict'

// Builds the call tree of a V8 CPU profile: frames with the time spent in them and below them. Weighted by time, not by number of samples: a late
// sample, because the thread was in the kernel or in a long native call, stands for the whole gap that it ends.

const { assertCpuProfile } = require('./assert-profile')
const { createFrameOf, describeFile } = require('./frame')
const { showNames } = require('./shown-names')

/** @import { CpuProfile, EncodeContext, ProfileNode } from '../../../types/profile' */
/** @import { Frame } from './frame' */

/**
 * @typedef {object} CallTree
 * @property {Frame} frame                 one object for each function, of natives for each name they are shown by, so that frames compare with ===
 * @property {number} selfMicros
 * @property {number} totalMicros          selfMicros and that of everything below
 * @property {number} selfSamples
 * @property {CallTree[]} children
 * @property {Map<number, number>} lines   selfMicros by line (from 1), if V8 recorded lines
 * @property {Map<string | null, Spent>} routes  selfMicros and selfSamples by route; null: of no request, or unknown. Empty where
 *   the profile has no routes
 * @property {Map<string, Map<string | null, Spent>>} processes  the same by process, in a profile of several; else empty
 *
 * @typedef {{ micros: number, samples: number }} Spent
 */

/**
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'> & { names?: 'shown' | 'bare' }} [context]  names: those that people see, or V8's own
 * @returns {CallTree} the root; its totalMicros is the time the profile covers
 */
function buildCallTree (profile, context = {}) {
  assertCpuProfile(profile)
  const { order, byId } = mergeNodes(profile, context)
  for (const { tree, of, ...spent } of spansOf(profile, byId)) addTime(tree, of, spent)
  for (const tree of order) scaleLines(tree)
  addTotals(order)
  if (context.names !== 'bare') showNames(order[0])
  return order[0]
}

/**
 * The same with its children in the order of time: a function that ran twice stands there twice.
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} [context]
 * @returns {CallTree}
 */
function buildTimeOrder (profile, context = {}) {
  assertCpuProfile(profile)
  const { order: [merged], byId } = mergeNodes(profile, context)
  showNames(merged)
  const parents = new Map()
  for (const tree of byId.values()) for (const child of tree.children) parents.set(child, tree)
  const root = createTree(merged.frame)
  const order = [root]
  /** The stack of the span before, below the root. @type {{ of: CallTree, copy: CallTree }[]} */
  let stack = []
  for (const { tree, micros } of spansOf(profile, byId)) {
    /** @type {CallTree[]} */
    const path = []
    for (let at = tree; at !== merged; at = parents.get(at)) path.unshift(at)
    const common = path.findIndex((of, depth) => stack[depth]?.of !== of)
    stack = stack.slice(0, common === -1 ? path.length : common)
    for (const of of path.slice(stack.length)) {
      const copy = createTree(of.frame)
      const above = stack.at(-1)?.copy ?? root
      above.children.push(copy)
      order.push(copy)
      stack.push({ of, copy })
    }
    const { copy } = stack.at(-1) ?? { copy: root }
    copy.selfMicros += micros
  }
  addTotals(order)
  return root
}

/**
 * Merges nodes that only V8 distinguishes (the same function, optimized again).
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} context
 */
function mergeNodes ({ nodes, workLines }, context) {
  const frameOf = createFrameOf({ ...context, lines: context.lines ?? workLines?.map(line => ({ ...line, file: describeFile(line.file, context) })) })
  const sources = new Map(nodes.map(node => [node.id, node]))
  const childIds = new Set(nodes.flatMap(node => node.children ?? []))
  const source = /** @type {ProfileNode} */ (nodes.find(node => !childIds.has(node.id)))
  /** @type {Map<number, CallTree>} */
  const byId = new Map()
  const root = createTree(frameOf(source.callFrame))
  const order = [root]
  /** The children of a tree by their frames. @type {Map<CallTree, Map<Frame, CallTree>>} */
  const below = new Map()
  const waiting = [{ source, tree: root }]
  for (const { source, tree } of waiting) {
    byId.set(source.id, tree)
    addTicks(tree, source)
    for (const id of source.children ?? []) {
      const child = /** @type {ProfileNode} */ (sources.get(id))
      waiting.push({ source: child, tree: childOf(tree, frameOf(child.callFrame), { order, below }) })
    }
  }
  return { order, byId }
}

/** @param {CallTree} tree @param {ProfileNode} source */
function addTicks ({ frame, lines }, { positionTicks = [] }) {
  // A native function's ticks carry the line of its caller.
  if (frame.file === '') return
  for (const { line, ticks } of positionTicks) lines.set(line, (lines.get(line) ?? 0) + ticks)
}

/**
 * @param {CallTree} parent
 * @param {Frame} frame
 * @param {object} known
 * @param {CallTree[]} known.order  takes a new child at its end: parents stand before their children
 * @param {Map<CallTree, Map<Frame, CallTree>>} known.below
 */
function childOf (parent, frame, { order, below }) {
  const children = below.get(parent) ?? new Map()
  below.set(parent, children)
  const known = children.get(frame)
  if (known) return known
  const tree = createTree(frame)
  children.set(frame, tree)
  parent.children.push(tree)
  order.push(tree)
  return tree
}

/** @param {Frame} frame @returns {CallTree} */
function createTree (frame) {
  return { frame, selfMicros: 0, totalMicros: 0, selfSamples: 0, children: [], lines: new Map(), routes: new Map(), processes: new Map() }
}

/**
 * The time that each sample stands for, in the order of time.
 * @param {CpuProfile} profile
 * @param {Map<number, CallTree>} byId
 */
function * spansOf ({ samples, timeDeltas, startTime, endTime, routes, processes }, byId) {
  let at = startTime
  const taken = samples.map((id, index) => {
    at += timeDeltas[index]
    const route = routes && (routes.names[routes.samples[index]] ?? null)
    return { tree: /** @type {CallTree} */ (byId.get(id)), at, of: { route, process: processes?.names[processes.samples[index]] } }
  })
  // V8 writes a sample taken on its own thread and one taken by the signal out of order, with a negative delta.
  taken.sort((a, b) => a.at - b.at)
  let before = startTime
  for (const { tree, at, of } of taken) {
    yield { tree, of, micros: Math.max(0, at - before), samples: 1 }
    before = Math.max(before, at)
  }
  const last = taken.at(-1)
  if (last) yield { tree: last.tree, of: last.of, micros: Math.max(0, endTime - before), samples: 0 }
}

/**
 * @param {CallTree} tree
 * @param {{ route: string | null | undefined, process: string | undefined }} of  undefined: the profile has none
 * @param {Spent} spent
 */
function addTime (tree, { route, process }, spent) {
  tree.selfMicros += spent.micros
  tree.selfSamples += spent.samples
  if (route !== undefined) addSpent(tree.routes, route, spent)
  if (process === undefined) return
  const ofProcess = tree.processes.get(process) ?? new Map()
  tree.processes.set(process, ofProcess)
  addSpent(ofProcess, route ?? null, spent)
}

/** @param {Map<string | null, Spent>} routes @param {string | null} route @param {Spent} spent */
function addSpent (routes, route, { micros, samples }) {
  const known = routes.get(route) ?? { micros: 0, samples: 0 }
  routes.set(route, { micros: known.micros + micros, samples: known.samples + samples })
}

/** V8 counts ticks by line; the node's time is shared out in their proportion. @param {CallTree} tree */
function scaleLines ({ lines, selfMicros }) {
  let allTicks = 0
  for (const ticks of lines.values()) allTicks += ticks
  for (const [line, ticks] of lines) lines.set(line, selfMicros * ticks / allTicks)
}

/** @param {CallTree[]} order */
function addTotals (order) {
  for (const tree of order.toReversed()) {
    tree.totalMicros = tree.selfMicros
    for (const child of tree.children) tree.totalMicros += child.totalMicros
  }
}

module.exports = { buildCallTree, buildTimeOrder }
