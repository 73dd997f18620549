'use strict'

// Reads a heap snapshot file into a graph, in one pass. The file is untrusted: the header is believed only as far as the file is long enough for it,
// and every index is checked.

const fs = require('node:fs')
const { errors } = require('../../base/errors')
const { openRegularFile } = require('../../base/regular-file')
const { scanSnapshot } = require('../../shared/heap/snapshot-scan')
const { Graph } = require('./graph')

/** @import { Header } from '../../shared/heap/snapshot-parser' */
/** @import { TakeRecords } from '../../shared/heap/snapshot-scan' */
/** @import { Location } from './graph' */

const MIN_NUMBER_BYTES = 2 // a digit and a comma
const MAX_EDGE_TYPES = 256
const GZIP_MAGIC = 0x1f8b

const HASH_FACTOR = 31

const PAIR = /^\d+( \/ part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\))$/
const MARK = ' / part of key ('
const MAX_MARK_OFFSET = 32 // quote and number in front of it
const BLOCK_BYTES = 256 * 1024
const FIRST_CAPACITY = 65_536

/**
 * @param {string} file
 * @param {{ onProgress?: (bytes: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<{ graph: Graph, weakMapNames: WeakMapNames }>} the graph holds the file open until it is closed
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function readGraph (file, options) {
  const fileBytes = fs.statSync(file).size
  refuseGzip(file)
  const strings = new StringTable(file)
  try {
    const builder = new GraphBuilder(file, fileBytes, strings)
    await scanSnapshot(file, builder, options)
    return builder.finish()
  } catch (error) {
    strings.close()
    throw error
  }
}

/** @param {string} file */
function refuseGzip (file) {
  const start = Buffer.alloc(2)
  const { fd } = openRegularFile(file)
  try {
    fs.readSync(fd, start, 0, 2, 0)
  } finally {
    fs.closeSync(fd)
  }
  if (start.readUInt16BE() !== GZIP_MAGIC) return
  throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, 'JSON text', 'a gzip file: unpack it first')
}

class GraphBuilder {
  #file
  #fileBytes
  #strings
  #weakMapNames = new WeakMapNames()
  /** @type {Graph | undefined} */
  #made
  /** Position of each field, -1 where this version has none. @type {Record<string, number>} */
  #at = {}
  #nodeFields = 0
  #edgeFields = 0
  #locationFields = 0
  #node = 0
  #edge = 0
  #edgesOfNodes = 0
  #highestName = 0
  #places = new LocationTable()

  /** @param {string} file @param {number} fileBytes @param {StringTable} strings */
  constructor (file, fileBytes, strings) {
    this.#file = file
    this.#fileBytes = fileBytes
    this.#strings = strings
  }

  /** @param {Header} header */
  header (header) {
    const { meta, node_count: nodes, edge_count: edges } = header
    this.#nodeFields = meta.node_fields.length
    this.#edgeFields = meta.edge_fields.length
    this.#locationFields = meta.location_fields?.length ?? 0
    for (const name of ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness']) this.#at[name] = meta.node_fields.indexOf(name)
    for (const name of ['type', 'name_or_index', 'to_node']) this.#at[`edge ${name}`] = meta.edge_fields.indexOf(name)
    for (const name of ['object_index', 'script_id', 'line', 'column']) {
      this.#at[`location ${name}`] = meta.location_fields?.indexOf(name) ?? -1
    }
    this.#checkHeader(meta, nodes, edges)
    this.#made = new Graph(this.#file, header, this.#strings, this.#places.locations)
  }

  /** @type {TakeRecords} */
  nodes (values, length) {
    const graph = this.#graph
    const width = this.#nodeFields
    const { type, name, id, self_size: selfSize, edge_count: edgeCount, detachedness } = this.#at
    if (this.#node + length / width > graph.nodeCount) this.#refuse(`${graph.nodeCount} nodes, as its header says`, 'more')
    for (let at = 0, node = this.#node; at < length; at += width, node++) {
      if (values[at + type] >= graph.nodeTypes.length) this.#refuse('types that its header names', String(values[at + type]))
      graph.type[node] = values[at + type]
      graph.name[node] = this.#checkName(values[at + name])
      graph.id[node] = values[at + id]
      graph.selfSize[node] = values[at + selfSize]
      graph.detachedness[node] = detachedness === -1 ? 0 : values[at + detachedness]
      graph.firstEdge[node] = this.#edgesOfNodes
      this.#edgesOfNodes += values[at + edgeCount]
    }
    this.#node += length / width
  }

  /** @type {TakeRecords} */
  edges (values, length) {
    const graph = this.#graph
    const { edgeType, edgeTo, edgeName, nodeCount, isNumbered } = graph
    const { 'edge type': type, 'edge name_or_index': name, 'edge to_node': toNode } = this.#at
    const width = this.#edgeFields
    const nodeFields = this.#nodeFields
    const types = isNumbered.length
    let highestName = this.#highestName
    let edge = this.#edge
    if (edge + length / width > graph.edgeCount) this.#refuse(`${graph.edgeCount} edges, as its header says`, 'more')
    for (let at = 0; at < length; at += width, edge++) {
      const ofType = values[at + type]
      const named = values[at + name]
      const to = values[at + toNode] / nodeFields
      if (ofType >= types) this.#refuse('types that its header names', String(ofType))
      if (!(to < nodeCount) || to !== Math.floor(to)) this.#refuse('edges to nodes of the file', String(values[at + toNode]))
      edgeType[edge] = ofType
      edgeTo[edge] = to
      edgeName[edge] = named
      if (named > highestName && !isNumbered[ofType]) highestName = named
    }
    this.#highestName = highestName
    this.#edge = edge
  }

  /** @type {TakeRecords} */
  locations (values, length) {
    const graph = this.#graph
    const { 'location object_index': node, 'location script_id': script, 'location line': line, 'location column': column } = this.#at
    for (let at = 0; at < length; at += this.#locationFields) {
      const ordinal = values[at + node] / this.#nodeFields
      if (!(ordinal < graph.nodeCount) || !Number.isInteger(ordinal)) this.#refuse('locations of nodes of the file', String(values[at + node]))
      graph.locationOf[ordinal] = this.#places.indexOf(values[at + script], values[at + line], values[at + column])
    }
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end @param {number} position */
  string (bytes, start, end, position) {
    this.#weakMapNames.look(this.#strings.count, bytes, start, end)
    this.#strings.add(position + start, position + end)
  }

  finish () {
    const graph = this.#graph
    if (this.#node !== graph.nodeCount) this.#refuse(`${graph.nodeCount} nodes, as its header says`, String(this.#node))
    if (this.#edge !== graph.edgeCount) this.#refuse(`${graph.edgeCount} edges, as its header says`, String(this.#edge))
    if (this.#edgesOfNodes !== graph.edgeCount) this.#refuse(`nodes with ${graph.edgeCount} edges`, String(this.#edgesOfNodes))
    if (this.#highestName >= this.#strings.count) {
      this.#refuse(`${this.#highestName + 1} strings, as many as are named`, String(this.#strings.count))
    }
    graph.firstEdge[graph.nodeCount] = this.#edge
    return { graph, weakMapNames: this.#weakMapNames }
  }

  get #graph () {
    return this.#made ?? this.#refuse('a header in front', 'none')
  }

  /** @param {Header['meta']} meta @param {number} nodes @param {number} edges */
  #checkHeader (meta, nodes, edges) {
    const { node_types: nodeTypes, edge_types: edgeTypes } = meta
    const types = [nodeTypes[this.#at.type], edgeTypes[this.#at['edge type']]]
    if (!types.every(list => Array.isArray(list) && list.length <= MAX_EDGE_TYPES)) {
      this.#refuse('a header with lists of types', 'something else')
    }
    if (![nodes, edges].every(Number.isSafeInteger) || nodes < 1 || edges < 0) {
      this.#refuse('a header that counts nodes and edges', `${nodes} and ${edges}`)
    }
    const leastBytes = (nodes * this.#nodeFields + edges * this.#edgeFields) * MIN_NUMBER_BYTES
    if (leastBytes > this.#fileBytes) {
      this.#refuse(`at least ${leastBytes} bytes for the ${nodes} nodes and ${edges} edges of its header`, String(this.#fileBytes))
    }
  }

  /** @param {number} name */
  #checkName (name) {
    if (name > this.#highestName) this.#highestName = name
    return name
  }

  /** @param {string} wanted @param {string} got @returns {never} */
  #refuse (wanted, got) {
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(this.#file, wanted, got)
  }
}

/** The places in the code that a heap snapshot names, each once: thousands of functions are written at the same. */
class LocationTable {
  /** Index 0 is none. @type {(Location | null)[]} */
  locations = [null]
  /** Indexes, by a number that equal places share. @type {Map<number, number[]>} */
  #indexes = new Map()

  /** @param {number} script @param {number} line @param {number} column @returns {number} index */
  indexOf (script, line, column) {
    const hash = (Math.imul(Math.imul(script, HASH_FACTOR) + line, HASH_FACTOR) + column) | 0
    const alike = this.#indexes.get(hash)
    if (alike !== undefined) {
      for (const index of alike) {
        const known = this.locations[index]
        if (known !== null && known.line === line && known.column === column && known.script === script) return index
      }
    }
    const index = this.locations.push({ script, line, column }) - 1
    if (alike === undefined) this.#indexes.set(hash, [index])
    else alike.push(index)
    return index
  }
}

/**
 * The value of a WeakMap entry has two edges, from its key and from the table. V8 names both
 * `N / part of key (X @id) -> value (Y @id) pair in WeakMap (table @T)`, which is the only way to know that they belong together.
 */
class WeakMapNames {
  /** By index of the name. @type {Map<number, { tableId: number, pair: number }>} */
  #names = new Map()
  /** Of the text that both edges have. @type {Map<string, number>} */
  #pairs = new Map()

  /** @param {number} index @param {Buffer} bytes @param {number} start @param {number} end */
  look (index, bytes, start, end) {
    const first = bytes[start + 1]
    if (first < 0x30 || first > 0x39 || bytes[end - 2] !== 0x29) return
    if (!bytes.subarray(start, Math.min(end, start + MAX_MARK_OFFSET)).includes(MARK)) return
    const [, text, table] = PAIR.exec(JSON.parse(bytes.toString('utf8', start, end))) ?? []
    if (text === undefined) return
    const pair = this.#pairs.get(text) ?? this.#pairs.size
    this.#pairs.set(text, pair)
    this.#names.set(index, { tableId: Number(table), pair })
  }

  /** @param {number} index */
  get (index) {
    return this.#names.get(index)
  }

  get isEmpty () {
    return this.#names.size === 0
  }
}

/** The strings of a heap snapshot, read from the file on demand because most are never needed. So a file may be longer than V8's longest string. */
class StringTable {
  #fd
  #starts = new Float64Array(FIRST_CAPACITY)
  #count = 0
  #end = 0
  #block = Buffer.alloc(0)
  #blockStart = 0
  /** @type {Map<number, string>} */
  #known = new Map()

  /** @param {string} file */
  constructor (file) {
    this.#fd = openRegularFile(file).fd
  }

  get count () { return this.#count }

  /**
   * @param {number} start  in the file, of the opening quote
   * @param {number} end
   */
  add (start, end) {
    if (this.#count === this.#starts.length) {
      const starts = new Float64Array(this.#count * 2)
      starts.set(this.#starts)
      this.#starts = starts
    }
    this.#starts[this.#count++] = start
    this.#end = end
  }

  /** Remembered: for names, of which there are few. @param {number} index */
  get (index) {
    const known = this.#known.get(index)
    if (known !== undefined) return known
    const text = this.read(index)
    this.#known.set(index, text)
    return text
  }

  /** @param {number} index @returns {string} */
  read (index) {
    const start = this.#starts[index]
    const end = index + 1 < this.#count ? this.#starts[index + 1] : this.#end
    const text = this.#bytes(start, end).toString('utf8')
    return JSON.parse(text.slice(0, text.lastIndexOf('"') + 1))
  }

  close () {
    fs.closeSync(this.#fd)
  }

  /** @param {number} start @param {number} end */
  #bytes (start, end) {
    if (start < this.#blockStart || end > this.#blockStart + this.#block.length) {
      const block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, end - start))
      this.#block = block.subarray(0, fs.readSync(this.#fd, block, 0, block.length, start))
      this.#blockStart = start
    }
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart)
  }
}

module.exports = { readGraph, StringTable, WeakMapNames }
