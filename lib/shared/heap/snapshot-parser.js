'use strict'

// Parses a heap snapshot file chunk by chunk, and passes its parts to a visitor. It interprets only the layout of the file: a header, arrays of
// numbers, and the strings last.

const { errors } = require('../../base/errors')

/** @import { TakeRecords, Visitor } from './snapshot-scan' */

/**
 * @typedef {object} Header
 * @property {number} node_count
 * @property {number} edge_count
 * @property {number} [extra_native_bytes]
 * @property {{ node_fields: string[], node_types: any[], edge_fields: string[], edge_types: any[], location_fields?: string[] }} meta
 */

const MAX_HEADER_BYTES = 64 * 1024 // it takes less than 1 KiB on every version
const BATCH_NUMBERS = 2 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
const END = 0x7d
const ZERO = 0x30

/** Fields that every version has had; without one of them a reader would take wrong numbers for right ones. */
const NODE_FIELDS = Object.freeze(['type', 'name', 'id', 'self_size', 'edge_count'])
const EDGE_FIELDS = Object.freeze(['type', 'name_or_index', 'to_node'])

/** Called with what was read and not used yet: the part of a token that the rest of the file completes comes again. */
class SnapshotParser {
  #file
  #visitor
  #step = this.#header
  /** Numbers in a record, by name of its array. @type {Record<string, number>} */
  #widths = {}
  #batch = new RecordBatch('', 1)
  #depth = 0
  #position = 0
  #hasStrings = false

  /** @param {string} file @param {Visitor} visitor */
  constructor (file, visitor) {
    this.#file = file
    this.#visitor = visitor
  }

  /**
   * @param {Buffer} buffer
   * @param {number} end
   * @param {number} position  of the buffer in the file
   * @returns {number} how much was used
   */
  take (buffer, end, position) {
    this.#position = position
    let at = 0
    while (at < end) {
      const step = this.#step
      const next = step.call(this, buffer, at, end)
      if (next === at && step === this.#step) break
      at = next
    }
    return at
  }

  /** @param {number} bytes */
  finish (bytes) {
    if (this.#step !== this.#tail) {
      this.#refuse('a whole file, ending in ]}', bytes === 0 ? 'an empty one' : `one that breaks off after ${bytes} bytes`)
    }
    if (!this.#hasStrings) this.#refuse('strings', 'none')
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #header (buffer, at, end) {
    const length = buffer.subarray(0, Math.min(end, MAX_HEADER_BYTES)).indexOf('"nodes":')
    if (length === -1) {
      if (end >= MAX_HEADER_BYTES) this.#refuse('a header in front of "nodes"', 'none')
      return at
    }
    const header = parseHeader(buffer.toString('latin1', 0, length), (wanted, got) => this.#refuse(wanted, got))
    const { node_fields: nodes, edge_fields: edges, location_fields: locations = [] } = header.meta
    this.#widths = { nodes: nodes.length, edges: edges.length, locations: locations.length }
    this.#visitor.header?.(header)
    this.#visitor.other?.(buffer, 0, length)
    this.#step = this.#key
    return length
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #key (buffer, at, end) {
    const open = buffer.subarray(at, end).indexOf(OPEN)
    if (open === -1) return this.#endOfKeys(buffer, at, end)
    const before = buffer.toString('latin1', at, at + Math.min(open, 100))
    const [, name] = /^[\s,]*"(\w+)":\s*$/.exec(before) ?? this.#refuse('the name of an array', 'something else')
    if (this.#hasStrings) this.#refuse('nothing behind the strings', name)
    this.#batch = this.#batchOf(name)
    this.#hasStrings = name === 'strings'
    this.#step = this.#hasStrings ? this.#strings : this.#numbers
    this.#depth = 1
    this.#visitor.other?.(buffer, at, at + open + 1)
    return at + open + 1
  }

  /** @param {string} array */
  #batchOf (array) {
    const { nodes, edges, locations } = this.#visitor
    const take = { nodes, edges, locations }[array]
    const width = this.#widths[array] ?? 0
    return width === 0 ? new RecordBatch(array, 1) : new RecordBatch(array, width, take?.bind(this.#visitor))
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #endOfKeys (buffer, at, end) {
    const close = buffer.subarray(at, end).indexOf(END)
    if (close === -1) return at
    this.#step = this.#tail
    return at
  }

  /** The hot loop: nearly all bytes of a file pass here. @type {(buffer: Buffer, at: number, end: number) => number} */
  #numbers (buffer, start, end) {
    const limit = endOfNumbers(buffer, start, end)
    const batch = this.#batch
    const { values } = batch
    let { length } = batch
    let depth = this.#depth
    let at = start
    while (at < limit && depth > 0) {
      let byte = buffer[at++]
      let digit = byte - ZERO
      if (digit >>> 0 <= 9) { // one comparison: what is below zero becomes large
        let value = digit
        while ((digit = (byte = buffer[at++]) - ZERO) >>> 0 <= 9) value = value * 10 + digit
        values[length++] = value
        if (length === values.length) length = batch.pass(length)
      }
      if (byte === COMMA) continue
      if (byte === OPEN) depth++
      else if (byte === CLOSE) depth--
      else if (byte > 0x20) this.#refuse('numbers in front of the strings', JSON.stringify(String.fromCharCode(byte)))
    }
    batch.length = length
    this.#depth = depth
    this.#visitor.other?.(buffer, start, at)
    if (depth === 0) this.#endNumbers(batch)
    return at
  }

  /** @param {RecordBatch} batch */
  #endNumbers (batch) {
    const rest = batch.length % batch.width
    if (rest !== 0) this.#refuse(`${batch.array} of ${batch.width} numbers each`, `a last one of ${rest}`)
    batch.pass(batch.length)
    this.#step = this.#key
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #strings (buffer, start, end) {
    let copied = start
    let at = start
    while (at < end) {
      const byte = buffer[at]
      if (byte === QUOTE) {
        const next = endOfString(buffer, at, end)
        if (next === -1) break
        if (at > copied) this.#visitor.other?.(buffer, copied, at)
        this.#visitor.string?.(buffer, at, next, this.#position)
        copied = at = next
        continue
      }
      at++
      if (byte === CLOSE) {
        this.#step = this.#key
        break
      }
      if (byte !== COMMA && byte > 0x20) this.#refuse('strings', JSON.stringify(String.fromCharCode(byte)))
    }
    if (at > copied) this.#visitor.other?.(buffer, copied, at)
    return at
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #tail (buffer, at, end) {
    if (/[^\s}]/.test(buffer.toString('latin1', at, end))) this.#refuse('nothing behind the strings', 'something')
    this.#visitor.other?.(buffer, at, end)
    return end
  }

  /** @param {string} wanted @param {string} got @returns {never} */
  #refuse (wanted, got) {
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(this.#file, wanted, got)
  }
}

/**
 * The last number that was read may go on in what is read next. What stands in front of it ends within the bytes that are there.
 * @param {Buffer} buffer
 * @param {number} start
 * @param {number} end
 */
function endOfNumbers (buffer, start, end) {
  let limit = end
  while (limit > start && (buffer[limit - 1] - ZERO) >>> 0 <= 9) limit--
  return limit
}

/**
 * @param {Buffer} buffer
 * @param {number} start  of the opening quote
 * @param {number} end
 * @returns {number} behind the closing quote; -1 when that has not been read yet
 */
function endOfString (buffer, start, end) {
  for (let at = start + 1; at < end; at++) {
    const byte = buffer[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) return at + 1
  }
  return -1
}

/**
 * The head of the file: how many records follow, and which fields they have.
 * @param {string} text  what stands in front of the nodes
 * @param {(wanted: string, got: string) => never} refuse
 * @returns {Header}
 */
function parseHeader (text, refuse) {
  const header = readObject(text) ?? refuse('a header with fields and types', JSON.stringify(text.slice(0, 40)))
  const { node_fields: nodeFields, edge_fields: edgeFields } = header.meta
  const missing = NODE_FIELDS.find(name => !nodeFields.includes(name)) ?? EDGE_FIELDS.find(name => !edgeFields.includes(name))
  return missing === undefined ? header : refuse(`a header with the field ${missing}`, 'none')
}

/** @param {string} text @returns {Header | null} */
function readObject (text) {
  try {
    const { snapshot } = JSON.parse(`${text.replace(/,\s*$/, '')}}`)
    const { node_fields: nodeFields, node_types: [nodeTypes], edge_fields: edgeFields, edge_types: [edgeTypes] } = snapshot.meta
    const { location_fields: locationFields = [] } = snapshot.meta
    return [nodeFields, nodeTypes, edgeFields, edgeTypes, locationFields].every(Array.isArray) ? snapshot : null
  } catch {
    return null
  }
}

/**
 * Collects the numbers of one array, many records at a time, because a call for each would take longer than reading it. Without a reader they are
 * only counted.
 */
class RecordBatch {
  length = 0
  #take

  /**
   * @param {string} array
   * @param {number} width  numbers in a record
   * @param {TakeRecords} [take]
   */
  constructor (array, width, take) {
    this.array = array
    this.width = width
    this.values = new Float64Array(width * Math.ceil(BATCH_NUMBERS / width))
    this.#take = take
  }

  /** @param {number} length */
  pass (length) {
    if (length > 0) this.#take?.(this.values, length)
    return 0
  }
}

module.exports = { SnapshotParser }
