'use strict'

// What kind of thing each node is, before plain objects are grouped by interface: that grouping changes with the snapshot
// which a comparison takes it from, this does not. Names and identity of classes are those of Chrome DevTools.

const { DETACHED } = require('./detachedness')
const { NO_LOCATION } = require('./graph')

/** @import { Graph } from './graph' */

const NO_SHAPE = -1

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
  /** By the indexes of the names of their properties. @type {Map<string, number>} */
  #shapeIndexes = new Map()
  /** @type {{ names: number[], count: number }[]} */
  #shapes = []
  #namesOfTypes
  #object
  #native

  /**
   * @param {Graph} graph
   * @param {boolean} isClassic
   */
  constructor (graph, isClassic) {
    this.#graph = graph
    this.#isClassic = isClassic
    this.#classOf = new Uint32Array(graph.nodeCount)
    this.#namesOfTypes = graph.nodeTypes.map(nameOfType)
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
    const { strings } = this.#graph
    const shapes = this.#shapes.map(({ names, count }) => ({ properties: names.map(index => strings.get(index)), count }))
    return { classOf: this.#classOf, classes: this.#classes, shapes }
  }

  /** @param {number} type */
  #ofType (type) {
    const key = -1 - type // names have indexes from 0
    return this.#known.get(key) ?? this.#make(key, { name: this.#namesOfTypes[type], location: '', shape: NO_SHAPE, isOfType: true })
  }

  /** @param {number} node */
  #named (node) {
    const graph = this.#graph
    const isObject = graph.type[node] === this.#object
    const location = isObject && !this.#isClassic ? graph.locationOf[node] : NO_LOCATION
    const shape = isObject && !this.#isClassic && graph.nameOf(node) === 'Object' ? this.#shapeOf(node) : NO_SHAPE
    const isDetached = graph.detachedness[node] === DETACHED
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

  /**
   * @param {string | number} key
   * @param {RawClass} rawClass
   */
  #make (key, rawClass) {
    const index = this.#classes.push(rawClass) - 1
    this.#known.set(key, index)
    return index
  }

  /** @param {number} node */
  #shapeOf (node) {
    const { firstEdge, edgeType, edgeName } = this.#graph
    const property = this.#graph.edgeTypeOf('property')
    const names = []
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] === property) names.push(edgeName[edge])
    }
    const key = names.join()
    let index = this.#shapeIndexes.get(key)
    if (index === undefined) {
      index = this.#shapes.push({ names, count: 0 }) - 1
      this.#shapeIndexes.set(key, index)
    }
    this.#shapes[index].count++
    return index
  }
}

/** @param {string} type */
function nameOfType (type) {
  return { hidden: '(system)', code: '(compiled code)', closure: 'Function', regexp: 'RegExp' }[type] ?? `(${type})`
}

/**
 * An element goes by its tag alone.
 * @param {string} name
 * @param {boolean} isDetached
 */
function nameOfClass (name, isDetached) {
  const full = isDetached ? `Detached ${name}` : name
  return full.replace(/^((?:Detached )?<[^ ]*) .*$/s, '$1>')
}

module.exports = { findRawClasses, NO_SHAPE }
