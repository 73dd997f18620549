'use strict'

// The part of a base snapshot that a comparison needs: ids, sizes, classes and dominators. It has no strings of the application: properties are
// identified by hashes. It can be stored as a small file (baseline-file.js).

const { createHash } = require('node:crypto')
const { NO_SHAPE } = require('../graph/raw-classes')
const { createMatcher } = require('../graph/interfaces')
const { toClassRows } = require('./class-rows')

/** @import { Analysis } from './analyze' */
/** @import { Interface } from '../graph/interfaces' */
/** @import { RawClass } from '../graph/raw-classes' */

const TOKEN_CHARS = 12 // 48 bits: among a million names two are alike once in 500 snapshots

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

/**
 * @param {Analysis} analysis
 * @returns {Baseline}
 */
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

module.exports = { toBaseline, classRowsOf }
