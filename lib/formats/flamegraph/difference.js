'use strict'

// Combines two CPU profiles in one graph: each frame with its time in both. Pure.

const { flatten } = require('../profile/nodes')
const { timeKindOf } = require('../profile/time-kinds')
const { describeGraph } = require('./graph')

/** @import { CallTree } from '../profile/call-tree' */
/** @import { Frame } from '../profile/frame' */
/** @import { Graph } from './graph' */

/**
 * @typedef {object} Recorded  microseconds; busy is all but idle
 * @property {number} micros
 * @property {number} busyMicros
 * @property {number} samples
 * @property {number} busySamples
 *
 * @typedef {object} Merged  a function of both, called on the same way; amounts of after, and of before
 * @property {Frame} frame  that of after, where it has one
 * @property {[number, number]} selves
 * @property {[number, number]} totals
 * @property {Map<string | null, [number, number]>} routes
 * @property {Merged[]} children
 * @property {Map<string, Merged>} byKey  the children
 */

const AFTER = 0
const BEFORE = 1

/**
 * @param {CallTree} before
 * @param {CallTree} after
 * @returns {Graph & { difference: { before: Recorded, after: Recorded } }} every node and time of a route has the amount of before as well
 */
function describeDifference (before, after) {
  const keyOf = createFunctionKey(framesOf(before), framesOf(after))
  const root = createMerged(after.frame)
  addTree(root, after, AFTER, keyOf)
  addTree(root, before, BEFORE, keyOf)
  const graph = describeGraph(root, {
    unit: 'time',
    selves: tree => tree.selves,
    total: ({ totals }) => totals[AFTER] + totals[BEFORE],
    routes: tree => tree.routes
  })
  return { ...graph, difference: { before: recordedOf(before), after: recordedOf(after) } }
}

/**
 * @param {Merged} root
 * @param {CallTree} tree
 * @param {number} index  AFTER or BEFORE
 * @param {(frame: Frame) => string} keyOf
 */
function addTree (root, tree, index, keyOf) {
  const waiting = [{ tree, merged: root }]
  for (const { tree: { selfMicros, totalMicros, routes, children }, merged } of waiting) {
    merged.selves[index] = selfMicros
    merged.totals[index] = totalMicros
    for (const [route, { micros }] of routes) {
      const known = merged.routes.get(route) ?? [0, 0]
      merged.routes.set(route, index === AFTER ? [micros, known[BEFORE]] : [known[AFTER], micros])
    }
    for (const child of children) waiting.push({ tree: child, merged: childOf(merged, child.frame, keyOf(child.frame)) })
  }
}

/** @param {Merged} parent @param {Frame} frame @param {string} key */
function childOf (parent, frame, key) {
  const known = parent.byKey.get(key)
  if (known) return known
  const child = createMerged(frame)
  parent.byKey.set(key, child)
  parent.children.push(child)
  return child
}

/** @param {Frame} frame @returns {Merged} */
function createMerged (frame) {
  return { frame, selves: [0, 0], totals: [0, 0], routes: new Map(), children: [], byKey: new Map() }
}

/** @param {CallTree} root */
function framesOf (root) {
  return new Set(flatten(root).map(({ frame }) => frame))
}

/** @param {CallTree} root @returns {Recorded} */
function recordedOf (root) {
  const recorded = { micros: root.totalMicros, busyMicros: 0, samples: 0, busySamples: 0 }
  for (const { frame, selfMicros, selfSamples } of flatten(root)) {
    recorded.samples += selfSamples
    if (timeKindOf(frame) === 'idle') continue
    recorded.busyMicros += selfMicros
    recorded.busySamples += selfSamples
  }
  return recorded
}

/**
 * Matches the functions of two recordings, although lines have moved: the code was changed between them.
 * Functions are matched by name and file if neither recording has two of them, otherwise also by line and column.
 * @param {Iterable<Frame>} before
 * @param {Iterable<Frame>} after
 * @returns {(frame: Frame) => string} the same for the same function
 */
function createFunctionKey (before, after) {
  const ambiguous = new Set([before, after].flatMap(frames => [...namedTwice(frames)]))
  return frame => ambiguous.has(nameOf(frame)) ? positionOf(frame) : nameOf(frame)
}

/** @param {Iterable<Frame>} frames */
function namedTwice (frames) {
  /** @type {Map<string, string>} */
  const positions = new Map()
  /** @type {Set<string>} */
  const found = new Set()
  for (const frame of frames) {
    const [name, position] = [nameOf(frame), positionOf(frame)]
    if ((positions.get(name) ?? position) !== position) found.add(name)
    positions.set(name, position)
  }
  return found
}

/** @param {Frame} frame */
function nameOf ({ name, file }) {
  return `${name}\0${file}`
}

/** @param {Frame} frame */
function positionOf ({ name, file, line, column }) {
  return `${name}\0${file}\0${line}:${column}`
}

module.exports = { describeDifference }
