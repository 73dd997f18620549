'use strict'

// Finds the shortest path from the roots to an object: variables, properties and entries, without the objects that V8 puts in between. Positions in
// arrays and tables are omitted too, so that two paths to the same place in the code are equal.

const { createHash } = require('node:crypto')
const { NO_EDGE } = require('../graph/distances')
const { ROOT } = require('../graph/graph')
const { isNamed } = require('./naming')

/** @import { Analysis } from '../comparison/load-snapshots' */
/** @import { Graph } from '../graph/graph' */

const SIGNATURE_CHARS = 12
const SIGNATURE_STEPS = 4 // from the end: which of several paths leads to a module is random
const MAX_STEPS = 1000 // at each end: a linked list may be as long as the heap is large
const FOREIGN_STEPS = 2 // kept before the application's own code, to show how it is reached
const SCOPE = 'system / Context'
const LEAST_SHARE = 0.5 // of what the scope keeps

/**
 * @typedef {object} Place
 * @property {string} file
 * @property {number} line  from 1
 *
 * @typedef {object} Step
 * @property {'property' | 'variable' | 'entry' | 'internal'} by  how it is held
 * @property {string} name        of the property or variable; '' of an entry
 * @property {string} className   of what is held
 * @property {number} node
 * @property {Place | null} place where the function or the constructor of what is held is written
 * @property {boolean} [isRepeated]  a link that the one before it has too: of a linked list
 * @property {boolean} [isOfNode]    a variable in the code of Node.js, not in the source of the application
 *
 * @typedef {object} NodeInfo  what is known of a node
 * @property {(node: number) => string} classNameOf
 * @property {(node: number) => Place | null} placeOf
 */

/**
 * @param {{ graph: Graph, reachedBy: Uint32Array }} paths
 * @param {number} node
 * @param {NodeInfo} info
 * @returns {Step[]} from the roots; the last is the object itself
 */
function findPath ({ graph, reachedBy }, node, info) {
  /** @type {number[]} */
  const edges = []
  for (let at = node; at !== ROOT && reachedBy[at] !== NO_EDGE; at = sourceOf(graph, reachedBy[at])) edges.push(reachedBy[at])
  edges.reverse()
  const shown = edges.length <= 2 * MAX_STEPS ? edges : [...edges.slice(0, MAX_STEPS), ...edges.slice(-MAX_STEPS)]
  return shown.map(edge => stepOf(graph, edge, info))
}

/** @param {Graph} graph @param {number} edge @param {NodeInfo} info @returns {Step} */
function stepOf (graph, edge, info) {
  const node = graph.edgeTo[edge]
  return { ...referenceOf(graph, edge), className: info.classNameOf(node), node, place: info.placeOf(node) }
}

/** @param {Graph} graph @param {number} edge @returns {Pick<Step, 'by' | 'name'>} */
function referenceOf (graph, edge) {
  const type = graph.edgeTypes[graph.edgeType[edge]]
  if (graph.hasNumber(edge)) return { by: type === 'element' ? 'entry' : 'internal', name: '' }
  const name = graph.strings.get(graph.edgeName[edge])
  if (type === 'property' && /^\d+$/.test(name)) return { by: 'entry', name: '' }
  if (type === 'property' || type === 'shortcut') return { by: 'property', name }
  if (type === 'context') return { by: 'variable', name }
  // Slots of tables are numbered; entries of WeakMaps are named after both sides.
  return /^\d/.test(name) ? { by: 'entry', name: '' } : { by: 'internal', name }
}

/** @param {Graph} graph @param {number} edge */
function sourceOf ({ firstEdge, nodeCount }, edge) {
  let low = 0
  let high = nodeCount
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (firstEdge[middle] <= edge) low = middle
    else high = middle
  }
  return low
}

/**
 * Only what a person would write in code: inner tables and slots are one entry of what they belong to, a linked list is one link,
 * and of the path from the global object to the application's code the end is left, with a name in it.
 * @param {readonly Step[]} steps
 */
function readable (steps) {
  const shown = withoutRepeats(withoutInner(steps))
  const ofModule = shown.findLastIndex(({ className }) => className === 'Module') + 1
  const ofCode = shown.findIndex(({ place }) => place !== null && isOfApplication(place)) - FOREIGN_STEPS
  const named = shown.findLastIndex(isNamed)
  const start = Math.max(0, ofModule, ofCode)
  return shown.slice(named === -1 ? start : Math.min(start, named))
}

/** @param {Place} place */
function isOfApplication ({ file }) {
  return !file.startsWith('node:')
}

/** @param {readonly Step[]} steps */
function withoutRepeats (steps) {
  /** @type {Step[]} */
  const kept = []
  for (const step of steps) {
    const last = kept[kept.length - 1]
    const isRepeated = (step.by === 'property' || step.by === 'internal') && last?.name === step.name && last.className === step.className
    if (isRepeated) kept[kept.length - 1] = { ...step, isRepeated }
    else kept.push(step)
  }
  return kept
}

/** @param {readonly Step[]} steps */
function withoutInner (steps) {
  /** @type {Step[]} */
  const kept = []
  let isEntry = false
  for (const [at, step] of steps.entries()) {
    const isGlobal = step.by === 'internal' && step.name === 'global_object' // where the path begins on Node.js 26
    const isInner = isGlobal || step.className.startsWith('(') || step.className.startsWith('system / ')
    isEntry ||= step.by === 'entry'
    if (isInner && at !== steps.length - 1) continue
    const isNamed = step.by === 'variable' || step.by === 'property'
    const shown = isEntry && !isNamed ? { ...step, by: /** @type {Step['by']} */ ('entry'), name: '' } : step
    kept.push(isOfNode(shown, kept.at(-1)) ? { ...shown, isOfNode: true } : shown)
    isEntry = false
  }
  return kept
}

/** @param {Step} step @param {Step} [holder] */
function isOfNode ({ by, name }, holder) {
  const isPrivate = by === 'property' && name.startsWith('#')
  return (by === 'variable' || isPrivate) && holder?.place?.file.startsWith('node:') === true && !Object.hasOwn(globalThis, name)
}

/**
 * The same for the same position in the code, in every run; for an object without a path, the same for its class.
 * @param {readonly Step[]} steps
 * @param {string} className
 */
function signatureOf (steps, className) {
  const last = readable(steps).slice(-SIGNATURE_STEPS).map(({ by, name, className }) => `${by === 'entry' ? '[]' : name}:${className}`)
  const text = steps.length === 0 ? className : last.join('/')
  return createHash('sha256').update(text).digest('hex').slice(0, SIGNATURE_CHARS)
}

/**
 * What grew may be a scope, which has no name in the source, because one of its variables is always another object: the head of a list.
 * @param {Pick<Analysis, 'graph' | 'dominators'>} analysis
 * @param {number} node
 * @returns {number | null} the edge of the variable that keeps most of it; null if the node is not a scope, or no variable keeps it
 */
function largestVariable ({ graph, dominators: { retainedSize } }, node) {
  if (graph.nameOf(node) !== SCOPE) return null
  const ofVariable = graph.edgeTypeOf('context')
  let largest = null
  let largestBytes = retainedSize[node] * LEAST_SHARE
  for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
    const bytes = retainedSize[graph.edgeTo[edge]]
    // What keeps more than the scope is kept by others.
    if (graph.edgeType[edge] !== ofVariable || bytes < largestBytes || bytes > retainedSize[node]) continue
    largest = edge
    largestBytes = bytes
  }
  return largest
}

module.exports = { findPath, isOfApplication, largestVariable, readable, signatureOf, stepOf }
