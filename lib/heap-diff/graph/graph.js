'use strict'

// A heap snapshot as typed arrays, one entry per node or edge, in the order of the file; node 0 is the root. It holds only the data and the names of
// V8's types.

/** @import { Header } from '../../shared/heap/snapshot-parser' */
/** @import { StringTable } from './read-graph' */

const ROOT = 0
const NO_LOCATION = 0

/**
 * @typedef {object} Location  where a function or a constructor is written
 * @property {number} script  V8's id of it
 * @property {number} line    from 0
 * @property {number} column
 */

class Graph {
  /**
   * @param {string} file
   * @param {Header} header
   * @param {StringTable} strings
   * @param {readonly (Location | null)[]} locations  completed while the file is read
   */
  constructor (file, { meta, node_count: nodeCount, edge_count: edgeCount, extra_native_bytes: extraNativeBytes = 0 }, strings, locations) {
    const nodeTypes = meta.node_types[meta.node_fields.indexOf('type')]
    const edgeTypes = meta.edge_types[meta.edge_fields.indexOf('type')]
    this.file = file
    this.strings = strings
    this.nodeCount = nodeCount
    this.edgeCount = edgeCount
    /** Bytes that V8 knows of outside of its heap and of every node. */
    this.extraNativeBytes = extraNativeBytes
    /** @type {readonly string[]} */
    this.nodeTypes = nodeTypes
    /** @type {readonly string[]} */
    this.edgeTypes = edgeTypes
    /** By type of edge: whether it has a number and no name. @type {readonly boolean[]} */
    this.isNumbered = this.edgeTypes.map(type => type === 'element' || type === 'hidden')

    this.type = new Uint8Array(nodeCount)
    this.name = new Uint32Array(nodeCount)
    this.id = new Uint32Array(nodeCount)
    /** Bytes. V8 writes 64 bits. */
    this.selfSize = new Float64Array(nodeCount)
    this.detachedness = new Uint8Array(nodeCount)
    /** Of node n: firstEdge[n] to firstEdge[n + 1]. */
    this.firstEdge = new Uint32Array(nodeCount + 1)
    this.edgeType = new Uint8Array(edgeCount)
    /** Index of a string, or the number itself where the type is element or hidden. */
    this.edgeName = new Uint32Array(edgeCount)
    this.edgeTo = new Uint32Array(edgeCount)
    /** Index into locations. */
    this.locationOf = new Uint32Array(nodeCount)
    this.locations = locations
  }

  /** @param {string} type */
  nodeType (type) {
    return this.nodeTypes.indexOf(type)
  }

  /** @param {string} type */
  edgeTypeOf (type) {
    return this.edgeTypes.indexOf(type)
  }

  /** @param {number} node */
  nameOf (node) {
    return this.strings.get(this.name[node])
  }

  /** @param {number} node */
  isSynthetic (node) {
    return this.nodeTypes[this.type[node]] === 'synthetic'
  }

  /** What an application holds directly; the other children of the root are V8's. @param {number} node */
  isUserRoot (node) {
    return !this.isSynthetic(node) || this.nameOf(node) === '(Document DOM trees)'
  }

  /** @param {number} edge */
  hasNumber (edge) {
    return this.isNumbered[this.edgeType[edge]]
  }

  close () {
    this.strings.close()
  }
}

module.exports = { Graph, ROOT, NO_LOCATION }
