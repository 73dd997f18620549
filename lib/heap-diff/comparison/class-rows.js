'use strict'

// Assigns the raw classes of a snapshot to the rows of the class table. Two classes of the same name that are declared in different places are two
// rows. So are functions and an object that is itself named `Function`, of which every context of node:vm has one: DevTools gives both the same key
// and shows only the last one; here both are shown.

const { createMatcher, inferInterfaces } = require('../graph/interfaces')
const { NO_SHAPE } = require('../graph/raw-classes')

/** @import { RawClass } from '../graph/raw-classes' */
/** @import { Analysis } from './load-snapshots' */

/**
 * @typedef {{ key: string, name: string }} ClassName  key: the same in every snapshot of a process
 * @typedef {{ rowOf: Uint32Array, rows: ClassName[] }} ClassRows  rowOf: by raw class
 */

/** @param {readonly RawClass[]} classes @param {(shape: number) => string} nameOfShape @returns {ClassRows} */
function toClassRows (classes, nameOfShape) {
  const rowOf = new Uint32Array(classes.length)
  /** @type {ClassName[]} */
  const rows = []
  /** @type {Map<string, number>} */
  const indexes = new Map()
  const namesOfTypes = new Set(classes.filter(({ isOfType }) => isOfType).map(({ name }) => name))
  for (const [at, { name: own, location, shape, isOfType }] of classes.entries()) {
    const name = shape === NO_SHAPE ? own : nameOfShape(shape)
    const isRival = !isOfType && location === '' && namesOfTypes.has(name)
    const key = isRival ? `,${name} (by name)` : `${location},${name}`
    let index = indexes.get(key)
    if (index === undefined) {
      index = rows.push({ key, name }) - 1
      indexes.set(key, index)
    }
    rowOf[at] = index
  }
  return { rowOf, rows }
}

/** @param {Analysis} analysis @returns {{ rowOfNode: Uint32Array, rows: ClassRows['rows'] }} */
function classifyNodes ({ raw }) {
  const match = createMatcher(inferInterfaces(raw.shapes))
  const names = raw.shapes.map(({ properties }) => match(properties))
  const { rowOf, rows } = toClassRows(raw.classes, shape => names[shape])
  return { rowOfNode: raw.classOf.map(rawClass => rowOf[rawClass]), rows }
}

module.exports = { classifyNodes, toClassRows }
