'use strict'

// Computes the raw class of each node, before plain objects are grouped by interface: that grouping depends on the snapshots compared, the raw class
// does not. Names and identity of classes are those of Chrome DevTools.

const { DETACHED } = require('./as-devtools')
const { NO_LOCATION } = require('./graph')

/** @import { Graph } from './graph' */

const NO_SHAPE = -1
const HASH_FACTOR = 31

/**
 * @typedef {object} RawClass
 * @property {string} name      of a plain object `Object`
 * @property {string} location  `script,line,column` of its constructor, or nothing
 * @property {number} shape     of a plain object: index of its shape; else NO_SHAPE
 * @property {boolean} isOfType whether the name is that of V8's type, not one that the node has: `Function` is both
 *
 * @typedef {object} Shape  plain objects with the same properties in the same order
 * @property {readonly string[]} properties
 * @property {number} count
 *
 * @typedef {{ classOf: Uint32Array, classes: RawClass[], shapes: Shape[] }} RawClasses  classOf: by node, index into classes
 */

/**
 * @param {Graph} graph
 * @param {{ isClassic?: boolean }} [options]  isClassic: as DevTools did before 2024, by name alone
 * @returns {RawClasses}
 */
function findRawClasses (graph, { isClassic = false } = {}) {
  const finder = new ClassFinder(graph, isClassic)
  for (let node = 0; node < graph.nodeCount; node++) finder.add(node)
  return finder.result()
}

class ClassFinder {
  #graph
  #isClassic
  #classOf
  /** @type {RawClass[]} */
  #classes = []
  /** By everything that makes one. @type {Map<string | number, number>} */
  #known = new Map()
  /** By index of the name. @type {Map<number, { location: number, shape: number, isDetached: boolean, index: number, isPlain: boolean }>} */
  #lastOf = new Map()
  #shapes
  #namesOfTypes
  #object
  #native

  /** @param {Graph} graph @param {boolean} isClassic */
  constructor (graph, isClassic) {
    this.#graph = graph
    this.#isClassic = isClassic
    this.#classOf = new Uint32Array(graph.nodeCount)
    this.#namesOfTypes = graph.nodeTypes.map(nameOfType)
    this.#shapes = new ShapeTable(graph)
    this.#object = graph.nodeType('object')
    this.#native = graph.nodeType('native')
  }

  /** @param {number} node */
  add (node) {
    const { type } = this.#graph
    this.#classOf[node] = type[node] === this.#object || type[node] === this.#native ? this.#named(node) : this.#ofType(type[node])
  }

  /** @returns {RawClasses} */
  result () {
    return { classOf: this.#classOf, classes: this.#classes, shapes: this.#shapes.result() }
  }

  /** @param {number} type */
  #ofType (type) {
    const key = -1 - type // names have indexes from 0
    return this.#known.get(key) ?? this.#make(key, { name: this.#namesOfTypes[type], location: '', shape: NO_SHAPE, isOfType: true })
  }

  /** What has a name is mostly of the class which the last of that name was of. @param {number} node */
  #named (node) {
    const graph = this.#graph
    const name = graph.name[node]
    const isObject = graph.type[node] === this.#object && !this.#isClassic
    const location = isObject ? graph.locationOf[node] : NO_LOCATION
    const last = this.#lastOf.get(name)
    const shape = isObject && (last?.isPlain ?? graph.nameOf(node) === 'Object') ? this.#shapes.add(node) : NO_SHAPE
    const isDetached = graph.detachedness[node] === DETACHED
    if (last !== undefined && last.location === location && last.shape === shape && last.isDetached === isDetached) return last.index
    const index = this.#indexOf(node, { location, shape, isDetached })
    this.#lastOf.set(name, { location, shape, isDetached, index, isPlain: graph.nameOf(node) === 'Object' })
    return index
  }

  /** @param {number} node @param {{ location: number, shape: number, isDetached: boolean }} kind */
  #indexOf (node, { location, shape, isDetached }) {
    const graph = this.#graph
    const isByName = location === NO_LOCATION && shape === NO_SHAPE && !isDetached
    const key = isByName ? graph.name[node] : `${graph.name[node]} ${location} ${shape} ${isDetached}`
    return this.#known.get(key) ??
      this.#make(key, { name: nameOfClass(graph.nameOf(node), isDetached), location: this.#locationKey(location), shape, isOfType: false })
  }

  /** @param {number} index */
  #locationKey (index) {
    const location = this.#graph.locations[index]
    return location === null ? '' : `${location.script},${location.line},${location.column}`
  }

  /** @param {string | number} key @param {RawClass} rawClass */
  #make (key, rawClass) {
    const index = this.#classes.push(rawClass) - 1
    this.#known.set(key, index)
    return index
  }
}

/** @param {string} type */
function nameOfType (type) {
  return { hidden: '(system)', code: '(compiled code)', closure: 'Function', regexp: 'RegExp' }[type] ?? `(${type})`
}

/** An element goes by its tag alone. @param {string} name @param {boolean} isDetached */
function nameOfClass (name, isDetached) {
  const full = isDetached ? `Detached ${name}` : name
  return full.replace(/^((?:Detached )?<[^ ]*) .*$/s, '$1>')
}

/**
 * Which properties plain objects have, and in which order: each list once, with how many objects have it. Found by a number made of the names, so
 * that nothing is made for an object of a shape that is known.
 */
class ShapeTable {
  #graph
  #property
  /** Indexes of names of properties. @type {{ names: number[], count: number }[]} */
  #shapes = []
  /** Of shapes, by a number that equal ones share. @type {Map<number, number[]>} */
  #indexes = new Map()

  /** @param {Graph} graph */
  constructor (graph) {
    this.#graph = graph
    this.#property = graph.edgeTypeOf('property')
  }

  /** Counts the object. @param {number} node @returns {number} index */
  add (node) {
    const { firstEdge, edgeType, edgeName } = this.#graph
    let hash = 0
    let length = 0
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] !== this.#property) continue
      hash = (Math.imul(hash, HASH_FACTOR) + edgeName[edge]) | 0
      length++
    }
    const index = this.#indexes.get(hash)?.find(at => this.#isOf(node, this.#shapes[at].names, length)) ?? this.#make(node, hash)
    this.#shapes[index].count++
    return index
  }

  /** In the order in which they were met. */
  result () {
    const { strings } = this.#graph
    return this.#shapes.map(({ names, count }) => ({ properties: names.map(index => strings.get(index)), count }))
  }

  /** @param {number} node @param {readonly number[]} names @param {number} length  how many properties the node has */
  #isOf (node, names, length) {
    if (names.length !== length) return false
    const { firstEdge, edgeType, edgeName } = this.#graph
    let at = 0
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] === this.#property && edgeName[edge] !== names[at++]) return false
    }
    return true
  }

  /** @param {number} node @param {number} hash */
  #make (node, hash) {
    const { firstEdge, edgeType, edgeName } = this.#graph
    const names = []
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] === this.#property) names.push(edgeName[edge])
    }
    const index = this.#shapes.push({ names, count: 0 }) - 1
    const alike = this.#indexes.get(hash)
    if (alike) alike.push(index)
    else this.#indexes.set(hash, [index])
    return index
  }
}

module.exports = { findRawClasses, NO_SHAPE }
