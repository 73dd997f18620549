'use strict'

// Checks that a heap snapshot file is complete: as many nodes, edges and strings as in its header, and its end. It also counts what the next
// estimate starts from, and finds the ids of the canaries. It changes nothing.

const { errors } = require('../../../base/errors')
const { scanSnapshot } = require('../../../shared/heap/snapshot-scan')

/** @import { Header } from '../../../shared/heap/snapshot-parser' */
/** @import { TakeRecords } from '../../../shared/heap/snapshot-scan' */

/**
 * @typedef {object} Verified
 * @property {number} nodes
 * @property {number} edges
 * @property {number} strings
 * @property {number} generatedNames  names of slots and WeakMap pairs, which V8 generates at a high cost
 * @property {number} fileBytes
 * @property {number} classIndex  index of the requested class name among the strings; -1: not there
 */

/**
 * @param {string} file
 * @param {{ className?: string, onProgress?: (bytes: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<Verified>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function verifySnapshot (file, { className = '', ...options } = {}) {
  const count = new Count(JSON.stringify(className))
  const fileBytes = await scanSnapshot(file, count, options)
  return { ...count.check(file), fileBytes }
}

class Count {
  /** @type {Header | null} */
  #header = null
  #nodeNumbers = 0
  #edgeNumbers = 0
  #strings = 0
  #generatedNames = 0
  #className
  #classIndex = -1

  /** @param {string} className  as written in the file */
  constructor (className) {
    this.#className = className
  }

  /** @param {Header} header */
  header (header) {
    this.#header = header
  }

  /** @type {TakeRecords} */
  nodes (_, length) {
    this.#nodeNumbers += length
  }

  /** @type {TakeRecords} */
  edges (_, length) {
    this.#edgeNumbers += length
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  string (bytes, start, end) {
    if (end - start === this.#className.length && bytes.toString('latin1', start, end) === this.#className) this.#classIndex = this.#strings
    this.#strings++
    if (isDigit(bytes[start + 1]) && (isDigit(bytes[end - 2]) || isPair(bytes, start, end))) this.#generatedNames++
  }

  /** @param {string} file */
  check (file) {
    const { node_count: nodes, edge_count: edges, meta } = /** @type {Header} */ (this.#header)
    const found = [
      { what: 'numbers of nodes', wanted: nodes * meta.node_fields.length, got: this.#nodeNumbers },
      { what: 'numbers of edges', wanted: edges * meta.edge_fields.length, got: this.#edgeNumbers }
    ].find(({ wanted, got }) => wanted !== got)
    if (found) throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, `${found.wanted} ${found.what}, as its header says`, String(found.got))
    return { nodes, edges, strings: this.#strings, generatedNames: this.#generatedNames, classIndex: this.#classIndex }
  }
}

/** @param {number} byte */
function isDigit (byte) {
  return byte >= 0x30 && byte <= 0x39
}

/** @param {Buffer} bytes @param {number} start @param {number} end */
function isPair (bytes, start, end) {
  return bytes[end - 2] === 0x29 && bytes.subarray(start, Math.min(end, start + 40)).includes(' / part of key (')
}

/**
 * Finds the ids of the canaries in a snapshot (see shared/heap/canaries.js).
 * @param {string} file  a complete snapshot
 * @param {number} nameIndex  index of CANARY_CLASS among its strings, from verifySnapshot(); -1: there are no canaries
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<number[]>} their ids, ascending
 */
async function findCanaries (file, nameIndex, options) {
  if (nameIndex === -1) return []
  const ids = new IdCollector(nameIndex)
  await scanSnapshot(file, ids, options)
  return ids.found.sort((a, b) => a - b)
}

/** Collects the ids of the objects of one class. */
class IdCollector {
  /** @type {number[]} */
  found = []
  isDone = false
  #nameIndex
  #fields = { count: 0, type: 0, name: 0, id: 0 }
  #object = -1

  /** @param {number} nameIndex */
  constructor (nameIndex) {
    this.#nameIndex = nameIndex
  }

  /** @param {Header} header */
  header ({ meta: { node_fields: fields, node_types: [types] } }) {
    this.#fields = { count: fields.length, type: fields.indexOf('type'), name: fields.indexOf('name'), id: fields.indexOf('id') }
    this.#object = types.indexOf('object')
  }

  /** @type {TakeRecords} */
  nodes (values, length) {
    const { count, type, name, id } = this.#fields
    for (let node = 0; node < length; node += count) {
      if (values[node + name] === this.#nameIndex && values[node + type] === this.#object) this.found.push(values[node + id])
    }
  }

  edges () {
    this.isDone = true
  }
}

module.exports = { findCanaries, verifySnapshot }
