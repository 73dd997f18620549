'use strict'

// Which properties plain objects have, and in which order: each list once, with how many objects have it. Found by a number made of
// the names, so that nothing is made for an object of a shape that is known.

/** @import { Graph } from './graph' */

const FACTOR = 31

class ShapeTable {
  #graph
  #property
  /** Indexes of names of properties. @type {{ names: number[], count: number }[]} */
  #shapes = []
  /** Of shapes, by a number that equal ones share. @type {Map<number, number[]>} */
  #indexes = new Map()

  /** @param {Graph} graph */
  constructor (graph) {
    this.#graph = graph
    this.#property = graph.edgeTypeOf('property')
  }

  /**
   * Counts the object.
   * @param {number} node
   * @returns {number} index
   */
  add (node) {
    const { firstEdge, edgeType, edgeName } = this.#graph
    let hash = 0
    let length = 0
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] !== this.#property) continue
      hash = (Math.imul(hash, FACTOR) + edgeName[edge]) | 0
      length++
    }
    const index = this.#indexes.get(hash)?.find(at => this.#isOf(node, this.#shapes[at].names, length)) ?? this.#make(node, hash)
    this.#shapes[index].count++
    return index
  }

  /** In the order in which they were met. */
  result () {
    const { strings } = this.#graph
    return this.#shapes.map(({ names, count }) => ({ properties: names.map(index => strings.get(index)), count }))
  }

  /**
   * @param {number} node
   * @param {readonly number[]} names
   * @param {number} length  how many properties the node has
   */
  #isOf (node, names, length) {
    if (names.length !== length) return false
    const { firstEdge, edgeType, edgeName } = this.#graph
    let at = 0
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] === this.#property && edgeName[edge] !== names[at++]) return false
    }
    return true
  }

  /**
   * @param {number} node
   * @param {number} hash
   */
  #make (node, hash) {
    const { firstEdge, edgeType, edgeName } = this.#graph
    const names = []
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (edgeType[edge] === this.#property) names.push(edgeName[edge])
    }
    const index = this.#shapes.push({ names, count: 0 }) - 1
    const alike = this.#indexes.get(hash)
    if (alike) alike.push(index)
    else this.#indexes.set(hash, [index])
    return index
  }
}

module.exports = { ShapeTable }
