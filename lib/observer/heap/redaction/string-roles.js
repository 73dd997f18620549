'use strict'

// Finds what each string of a heap snapshot is used for, as one byte per string: from the nodes and edges, which come before the strings in the
// file. It sees no strings.

/** @import { Header } from '../../../shared/heap/snapshot-parser' */
/** @import { TakeRecords } from '../../../shared/heap/snapshot-scan' */

/** Types of nodes whose name is their value. With exposeNumericValues this includes numbers. */
const VALUE_NODES = new Set(['string', 'concatenated string', 'sliced string', 'regexp', 'number', 'bigint'])
/** Types of edges that have a number and no name. */
const NUMBERED_EDGES = new Set(['element', 'hidden'])

const NAMES = 1 // the name of a node or a variable, or one of V8's own
const PROPERTY = 2 // the name of a property of one object; the bits from here on count the objects
const MAX_COUNTED = 127

// An object with this many properties is used as a map: its keys are data. Classes and modules have fewer, and the names of their functions are
// kept because the functions themselves have them.
const MAP_EDGES = 100

/**
 * @param {Header} header
 * @param {number} maxStrings  an upper limit for the file, so that a hostile index takes no memory
 */
function createRoles ({ meta }, maxStrings) {
  const [nodeTypes] = meta.node_types
  const [edgeTypes] = meta.edge_types
  return new Roles({
    nodeFields: meta.node_fields.length,
    typeField: meta.node_fields.indexOf('type'),
    nameField: meta.node_fields.indexOf('name'),
    countField: meta.node_fields.indexOf('edge_count'),
    edgeFields: meta.edge_fields.length,
    edgeTypeField: meta.edge_fields.indexOf('type'),
    edgeNameField: meta.edge_fields.indexOf('name_or_index'),
    isValueNode: nodeTypes.map((/** @type {string} */ type) => VALUE_NODES.has(type)),
    isNumberedEdge: edgeTypes.map((/** @type {string} */ type) => NUMBERED_EDGES.has(type)),
    propertyType: edgeTypes.indexOf('property'),
    maxStrings
  })
}

/**
 * @typedef {object} Layout
 * @property {number} nodeFields
 * @property {number} typeField
 * @property {number} nameField
 * @property {number} countField
 * @property {number} edgeFields
 * @property {number} edgeTypeField
 * @property {number} edgeNameField
 * @property {boolean[]} isValueNode
 * @property {boolean[]} isNumberedEdge
 * @property {number} propertyType
 * @property {number} maxStrings
 */

class Roles {
  #layout
  #roles = new Uint8Array(65_536)
  #highest = 0
  /** For each map, its first edge and the edge after its last one, in the order of the file. @type {number[]} */
  #maps = []
  #nextMap = 0
  #edgesOfNodes = 0
  #edge = 0

  /** @param {Layout} layout */
  constructor (layout) {
    this.#layout = layout
  }

  get highestIndex () { return this.#highest }

  /** @type {TakeRecords} */
  nodes = (values, length) => {
    const { nodeFields, typeField, nameField, countField, isValueNode } = this.#layout
    for (let node = 0; node < length; node += nodeFields) {
      this.#noteEdges(values[node + countField])
      this.#mark(values[node + nameField], isValueNode[values[node + typeField]] ? 0 : NAMES)
    }
  }

  /** @type {TakeRecords} */
  edges = (values, length) => {
    const { edgeFields, edgeTypeField, edgeNameField } = this.#layout
    for (let edge = 0; edge < length; edge += edgeFields) {
      this.#addEdge(values[edge + edgeTypeField], values[edge + edgeNameField])
      this.#edge++
    }
  }

  /**
   * @param {number} index
   * @param {number} minObjects  how many objects must have a property of this name; at most MAX_COUNTED
   */
  isName (index, minObjects) {
    const role = index < this.#roles.length ? this.#roles[index] : 0
    return (role & NAMES) !== 0 || role >= minObjects * PROPERTY
  }

  /** @param {number} count */
  #noteEdges (count) {
    if (count >= MAP_EDGES) this.#maps.push(this.#edgesOfNodes, this.#edgesOfNodes + count)
    this.#edgesOfNodes += count
  }

  /** @param {number} type @param {number} name */
  #addEdge (type, name) {
    const { isNumberedEdge, propertyType } = this.#layout
    if (isNumberedEdge[type]) return
    if (type !== propertyType) return this.#mark(name, NAMES)
    if (this.#isInMap()) return this.#mark(name, 0)
    this.#mark(name, PROPERTY)
  }

  #isInMap () {
    while (this.#edge >= this.#maps[this.#nextMap + 1]) this.#nextMap += 2
    return this.#edge >= this.#maps[this.#nextMap]
  }

  /** @param {number} index @param {number} role */
  #mark (index, role) {
    if (index > this.#highest) this.#highest = index
    if (role === 0 || index > this.#layout.maxStrings) return
    if (index >= this.#roles.length) this.#grow(index)
    if (role === NAMES) this.#roles[index] |= NAMES
    else if (this.#roles[index] < MAX_COUNTED * PROPERTY) this.#roles[index] += PROPERTY
  }

  /** @param {number} index */
  #grow (index) {
    const roles = new Uint8Array(Math.max(index + 1, this.#roles.length * 2))
    roles.set(this.#roles)
    this.#roles = roles
  }
}

module.exports = { createRoles }
