'use strict'

// The numbers that the canaries have in a snapshot (see shared/heap/canaries.js).

const { scanSnapshot } = require('../../../shared/heap/snapshot-scan')

/** @import { Header } from '../../../shared/heap/snapshot-header' */
/** @import { TakeRecords } from '../../../shared/heap/snapshot-scan' */

/**
 * @param {string} file  a whole snapshot
 * @param {number} nameIndex  of CANARY_CLASS among its strings, which verifySnapshot() finds; -1: they were not installed
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<number[]>} their numbers in it, ascending
 */
async function findCanaries (file, nameIndex, options) {
  if (nameIndex === -1) return []
  const ids = new IdCollector(nameIndex)
  await scanSnapshot(file, ids, options)
  return ids.found.sort((a, b) => a - b)
}

/** Collects the numbers of the objects of one class. */
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

module.exports = { findCanaries }
