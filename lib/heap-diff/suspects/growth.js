'use strict'

// Attributes every byte to the surviving object that retains it: the nearest one above it in the dominator tree that is in all snapshots. The growth
// of such an object is what it retains now minus what it retained before; the sum over all is the growth of the heap.

const { matchIds, NONE } = require('../comparison/match-ids')
const { sum } = require('../../base/sums')

/** @import { Baseline } from '../comparison/baseline' */
/** @import { Analysis } from '../comparison/load-snapshots' */
/** @import { ClassRows } from '../comparison/class-rows' */
/** @import { Place } from './retainer-path' */

/** What V8 makes of code as it runs; it grows while an application warms up. */
const OF_CODE = new Set(['(compiled code)', '(object shape)'])
const MAX_HOLDS = 3
const MAX_PLACES = 3
const REQUEST = 'IncomingMessage' // of a server, or the response of a client
const CLIENT_REQUEST = 'ClientRequest'

/**
 * @typedef {object} Growth  of a surviving object that keeps more than before
 * @property {number} position   of the object in the newest snapshot
 * @property {number[]} bytes    what it keeps, in each snapshot
 *
 * @typedef {{ growths: Growth[], codeBytes: number[], survivorOf: Int32Array }} Attribution
 *   survivorOf: by position of the newest, position of the object that keeps it
 */

/**
 * @param {readonly Baseline[]} snapshots  the oldest first
 * @returns {Attribution}
 */
function attributeGrowth (snapshots) {
  const newest = snapshots.length - 1
  const survivors = findSurvivors(snapshots)
  const count = survivors[newest].length
  const kept = snapshots.map((snapshot, at) => keptBy(snapshot, numbersOf(snapshot, survivors[at]), count))
  const growths = []
  for (let number = 0; number < count; number++) {
    if (kept[newest].bytes[number] <= kept[0].bytes[number]) continue
    growths.push({ position: survivors[newest][number], bytes: kept.map(({ bytes }) => bytes[number]) })
  }
  // In an order that does not depend on where the objects are.
  growths.sort((a, b) => snapshots[newest].id[a.position] - snapshots[newest].id[b.position])
  const survivorOf = kept[newest].keeper.map(number => survivors[newest][number])
  return { growths, codeBytes: kept.map(({ codeBytes }) => codeBytes), survivorOf }
}

/**
 * @param {readonly Baseline[]} snapshots
 * @returns {Int32Array[]} of each snapshot: positions of the objects that all of them have
 */
function findSurvivors ([first, ...others]) {
  const mayKeep = keepersOf(first)
  const found = [first, ...others].map(() => new Int32Array(first.id.length))
  const again = others.map(other => findAgain(first, other))
  let count = 0
  for (let position = 0; position < first.id.length; position++) {
    if (!mayKeep(position) || again.some(positions => positions[position] === NONE)) continue
    found[0][count] = position
    for (let at = 0; at < again.length; at++) found[at + 1][count] = again[at][position]
    count++
  }
  return found.map(positions => positions.subarray(0, count))
}

/**
 * @param {Baseline} first
 * @param {Baseline} other
 * @returns {Int32Array} by position of the first: that of the same object in the other, if it may keep something there
 */
function findAgain (first, other) {
  const mayKeep = keepersOf(other)
  const { again } = matchIds(first.id, other.id)
  return again.map(position => position !== NONE && mayKeep(position) ? position : NONE)
}

/** @param {Baseline} snapshot @param {Int32Array} positions */
function numbersOf ({ id }, positions) {
  const numbers = new Int32Array(id.length).fill(NONE)
  for (let number = 0; number < positions.length; number++) numbers[positions[number]] = number
  return numbers
}

/**
 * Native objects are numbered anew in every snapshot; V8's own arrays and tables belong to an object, which is named instead.
 * @param {Baseline} snapshot
 */
function keepersOf ({ id, classOf, classes }) {
  const isNamed = classes.map(({ name }) => name === '(synthetic)' || !name.startsWith('('))
  return (/** @type {number} */ position) => id[position] % 2 === 1 && isNamed[classOf[position]]
}

/** @param {Baseline} snapshot @param {Int32Array} numberOf @param {number} count */
function keptBy ({ size, end, classOf, classes }, numberOf, count) {
  const bytes = new Float64Array(count)
  const keeper = new Int32Array(size.length)
  const isCode = classes.map(({ name }) => OF_CODE.has(name))
  let codeBytes = 0
  // The path of survivors above the position: number of each, and where what it dominates ends.
  /** @type {{ number: number, end: number }[]} */
  const above = [{ number: Math.max(0, numberOf[0]), end: size.length }]
  for (let position = 0; position < size.length; position++) {
    while (above[above.length - 1].end <= position) above.pop()
    const number = numberOf[position]
    if (number !== NONE) above.push({ number, end: end[position] })
    keeper[position] = above[above.length - 1].number
    if (isCode[classOf[position]]) codeBytes += size[position]
    else bytes[keeper[position]] += size[position]
  }
  return { bytes, keeper, codeBytes }
}

/**
 * @typedef {{ name: string, count: number, bytes: number, place: Place | null }} Holding  new objects of a class; bytes: with what
 *   they keep
 *
 * @typedef {{ place: Place, count: number }} NewFunctions  functions created at one place in the code
 */

/**
 * What an object gained: the classes of its new objects with their retained sizes, and where its new functions are created. It receives position
 * after position in dominator order.
 */
class Contents {
  #latest
  #rowOfNode
  #rows
  #placeOf
  #newObjects = 0
  /** By row. @type {Map<number, Holding & { coveredTo: number }>} */
  #holds = new Map()
  /** @type {Map<string, NewFunctions>} */
  #functions = new Map()

  /**
   * @param {object} known
   * @param {Analysis} known.latest
   * @param {Uint32Array} known.rowOfNode
   * @param {ClassRows['rows']} known.rows
   * @param {(node: number) => Place | null} known.placeOf
   */
  constructor ({ latest, rowOfNode, rows, placeOf }) {
    this.#latest = latest
    this.#rowOfNode = rowOfNode
    this.#rows = rows
    this.#placeOf = placeOf
  }

  /** @param {number} position  of a new object */
  add (position) {
    const { graph, dominators: { order } } = this.#latest
    const node = order[position]
    if (graph.selfSize[node] === 0) return
    this.#newObjects++
    if (graph.nodeTypes[graph.type[node]] === 'closure') this.#addFunction(node)
    this.#addHolding(position, node)
  }

  result () {
    const all = [...this.#holds.values()]
    const countOf = (/** @type {string} */ wanted) => sum(all.filter(({ name }) => name === wanted), ({ count }) => count)
    const holds = addHoldings(all.map(({ coveredTo, ...holding }) => holding))
    const functions = [...this.#functions.values()].sort((a, b) => b.count - a.count).slice(0, MAX_PLACES)
    return { holds, functions, requests: countOf(REQUEST), clientRequests: countOf(CLIENT_REQUEST), newObjects: this.#newObjects }
  }

  /** @param {number} node */
  #addFunction (node) {
    const place = this.#placeOf(node)
    if (place === null || place.file.startsWith('node:')) return
    const key = `${place.file}:${place.line}`
    const known = this.#functions.get(key)
    if (known) known.count++
    else this.#functions.set(key, { place, count: 1 })
  }

  /** @param {number} position @param {number} node */
  #addHolding (position, node) {
    const { graph, dominators: { endOf, retainedSize } } = this.#latest
    const row = this.#rowOfNode[node]
    let holding = this.#holds.get(row)
    if (holding === undefined) {
      const place = graph.nodeTypes[graph.type[node]] === 'object' ? this.#placeOf(node) : null
      holding = { name: this.#rows[row].name, count: 0, bytes: 0, place, coveredTo: 0 }
      this.#holds.set(row, holding)
    }
    holding.count++
    if (position < holding.coveredTo) return
    holding.coveredTo = endOf[node]
    holding.bytes += retainedSize[node]
  }
}

/**
 * Classes of objects first: strings and V8's own tables are only named where there is nothing else.
 * @param {readonly Holding[]} holds
 */
function addHoldings (holds) {
  /** @type {Map<string, Holding>} */
  const byName = new Map()
  for (const holding of holds) {
    const known = byName.get(holding.name)
    byName.set(holding.name, known ? { ...known, count: known.count + holding.count, bytes: known.bytes + holding.bytes } : holding)
  }
  const isInner = (/** @type {Holding} */ { name }) => name.startsWith('(') || name.startsWith('system / ')
  return [...byName.values()].sort((a, b) => Number(isInner(a)) - Number(isInner(b)) || b.bytes - a.bytes).slice(0, MAX_HOLDS)
}

module.exports = { addHoldings, attributeGrowth, Contents }
