'use strict'

// The part of a base snapshot that a comparison needs: ids, sizes, classes and dominators. It has no strings of the application: properties are
// identified by hashes. It can be stored as a small file.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const zlib = require('node:zlib')
const { NO_SHAPE } = require('../graph/raw-classes')
const { createMatcher } = require('../graph/interfaces')
const { toClassRows } = require('./class-rows')
const { errors } = require('../../base/errors')
const { openRegularFile, readRegularFile } = require('../../base/regular-file')

/** @import { Analysis } from './load-snapshots' */
/** @import { Interface } from '../graph/interfaces' */
/** @import { RawClass } from '../graph/raw-classes' */
/** @import { SnapshotFacts } from './compare-files' */

const TOKEN_CHARS = 12 // 48 bits: among a million names two are alike once in 500 snapshots
const MAGIC = Buffer.from('loopscope-heapindex-1\n')
const HASH_BYTES = 32
const LENGTH_BYTES = 4
const ALIGNMENT = 8
const BYTES_PER_NODE = 8 + 4 + 4 + 4
const MAX_BYTES = 2 ** 32 - 1 // 200 million nodes

/**
 * Nodes are in dominator order: what a node dominates follows it.
 * @typedef {object} Baseline
 * @property {Uint32Array} id
 * @property {Float64Array} size        bytes
 * @property {Uint32Array} classOf      index into classes
 * @property {Uint32Array} end          position behind the last node that it dominates
 * @property {readonly RawClass[]} classes
 * @property {readonly (readonly string[])[]} shapes  of each the tokens of its properties
 * @property {number} heapBytes
 * @property {boolean} isClassic
 */

/** @param {Analysis} analysis @returns {Baseline} */
function toBaseline ({ graph, dominators: { order, endOf }, raw, heapBytes, isClassic }) {
  const tokens = tokenizer()
  const count = order.length
  const [id, classOf, end] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)]
  const size = new Float64Array(count)
  for (let position = 0; position < count; position++) {
    const node = order[position]
    id[position] = graph.id[node]
    size[position] = graph.selfSize[node]
    classOf[position] = raw.classOf[node]
    end[position] = endOf[node]
  }
  const shapes = raw.shapes.map(({ properties }) => properties.map(tokens))
  return { id, size, classOf, end, classes: raw.classes, shapes, heapBytes, isClassic }
}

/** @returns {(property: string) => string} */
function tokenizer () {
  /** @type {Map<string, string>} */
  const known = new Map()
  return property => {
    const token = known.get(property) ?? createHash('sha256').update(property).digest('hex').slice(0, TOKEN_CHARS)
    known.set(property, token)
    return token
  }
}

/**
 * As the newer snapshot groups its plain objects, so is the older one grouped.
 * @param {Baseline} baseline
 * @param {readonly Interface[]} interfaces
 */
function classRowsOf ({ classes, shapes }, interfaces) {
  const match = createMatcher(interfaces, tokenizer())
  const names = shapes.map(match)
  return toClassRows(classes, shape => shape === NO_SHAPE ? 'Object' : names[shape])
}

/**
 * The file, `.heapindex`, replaces the older snapshot in a comparison, at a twentieth of its size and without the strings of the application.
 * Layout: magic, then gzip of: length of the header (4 bytes), header (JSON), the four arrays, SHA-256 of all that.
 * @param {Baseline} baseline
 * @param {SnapshotFacts} facts
 * @returns {Buffer}
 */
function encodeBaseline ({ id, size, classOf, end, ...rest }, facts) {
  const header = Buffer.from(JSON.stringify({ nodes: id.length, facts: publicFacts(facts), ...rest }))
  const padded = Buffer.concat([header], Math.ceil(header.length / ALIGNMENT) * ALIGNMENT).fill(' ', header.length)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(padded.length)
  const arrays = [size, id, classOf, end].map(array => Buffer.from(array.buffer, array.byteOffset, array.byteLength))
  const content = Buffer.concat([length, padded, ...arrays])
  return Buffer.concat([MAGIC, zlib.gzipSync(Buffer.concat([content, hashOf(content)]))])
}

/** @param {SnapshotFacts} facts */
function publicFacts ({ pid, startedAt, nodeVersion, canaryIds, takenAt }) {
  return { pid, startedAt, nodeVersion, canaryIds, takenAt }
}

/** @param {string} file */
function isBaselineFile (file) {
  const start = Buffer.alloc(MAGIC.length)
  const { fd } = openRegularFile(file)
  try {
    fs.readSync(fd, start, 0, start.length, 0)
  } finally {
    fs.closeSync(fd)
  }
  return start.equals(MAGIC)
}

/**
 * @param {string} file
 * @returns {{ baseline: Baseline, facts: SnapshotFacts }}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
function readBaseline (file) {
  const content = unpack(file)
  const { nodes, facts, ...rest } = parseHeader(file, content)
  const arrays = content.subarray(LENGTH_BYTES + content.readUInt32LE())
  if (arrays.length !== nodes * BYTES_PER_NODE) refuse(file, `${nodes * BYTES_PER_NODE} bytes for ${nodes} nodes`, String(arrays.length))
  // A copy of its own, because typed arrays must begin at a multiple of their element.
  const { buffer } = Uint8Array.from(arrays)
  const baseline = {
    ...rest,
    size: new Float64Array(buffer, 0, nodes),
    id: new Uint32Array(buffer, nodes * 8, nodes),
    classOf: new Uint32Array(buffer, nodes * 12, nodes),
    end: new Uint32Array(buffer, nodes * 16, nodes)
  }
  checkIndexes(file, baseline)
  return { baseline, facts }
}

/** @param {string} file */
function unpack (file) {
  let bytes
  try {
    bytes = zlib.gunzipSync(readRegularFile(file).subarray(MAGIC.length), { maxOutputLength: MAX_BYTES })
  } catch (error) {
    return refuse(file, 'a whole .heapindex', /** @type {Error} */ (error).message)
  }
  if (bytes.length < LENGTH_BYTES + HASH_BYTES) refuse(file, 'a whole .heapindex', `${bytes.length} bytes`)
  const content = bytes.subarray(0, -HASH_BYTES)
  if (!hashOf(content).equals(bytes.subarray(-HASH_BYTES))) refuse(file, 'a .heapindex as it was written', 'one that was changed')
  return content
}

/** @param {string} file @param {Buffer} content */
function parseHeader (file, content) {
  try {
    const header = JSON.parse(content.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + content.readUInt32LE()))
    if (Number.isSafeInteger(header.nodes) && Array.isArray(header.classes) && Array.isArray(header.shapes)) return header
  } catch {}
  return refuse(file, 'a header with nodes, classes and shapes', 'something else')
}

/** @param {string} file @param {Baseline} baseline */
function checkIndexes (file, { classOf, end, classes, shapes }) {
  const isWrong = classOf.some(index => index >= classes.length) ||
    end.some((value, position) => value <= position || value > end.length) ||
    classes.some(({ shape }) => shape >= shapes.length)
  if (isWrong) refuse(file, 'indexes of the file', 'others')
}

/** @param {Buffer} content */
function hashOf (content) {
  return createHash('sha256').update(content).digest()
}

/** @param {string} file @param {string} wanted @param {string} got @returns {never} */
function refuse (file, wanted, got) {
  throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, wanted, got)
}

module.exports = { classRowsOf, encodeBaseline, isBaselineFile, readBaseline, toBaseline }
