'use strict'

// Computes what an object gained: the classes of its new objects with their retained sizes, and where its new functions are created. It receives
// position after position in dominator order.

/** @import { Analysis } from '../comparison/analyze' */
/** @import { ClassRows } from '../comparison/class-rows' */
/** @import { Place } from './retainer-path' */

const MAX_HOLDS = 3
const MAX_PLACES = 3
const REQUEST = 'IncomingMessage' // of a server, or the response of a client

/**
 * @typedef {{ name: string, count: number, bytes: number, place: Place | null }} Holding  new objects of a class; bytes: with what
 *   they keep
 *
 * @typedef {{ place: Place, count: number }} NewFunctions  functions created at one place in the code
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
    const requests = all.filter(({ name }) => name === REQUEST).reduce((sum, { count }) => sum + count, 0)
    const holds = addHoldings(all.map(({ coveredTo, ...holding }) => holding))
    const functions = [...this.#functions.values()].sort((a, b) => b.count - a.count).slice(0, MAX_PLACES)
    return { holds, functions, requests, newObjects: this.#newObjects }
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

  /**
   * @param {number} position
   * @param {number} node
   */
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

module.exports = { Contents, addHoldings }
