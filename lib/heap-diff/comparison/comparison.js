'use strict'

// Computes what is new, deleted and grown between two snapshots of one process, by class. New and deleted are defined as in Chrome DevTools, which
// does not compare objects that are in both snapshots and so misses a Map that grew. Together they are the growth of the heap.

const { inferInterfaces } = require('../graph/interfaces')
const { classRowsOf, toBaseline } = require('./baseline')
const { matchIds, NONE } = require('./match-ids')
const { sum } = require('../../base/sums')

/** @import { Analysis } from './load-snapshots' */
/** @import { Baseline } from './baseline' */
/** @import { ClassRows } from './class-rows' */

/**
 * @typedef {object} ClassChange
 * @property {string} key
 * @property {string} name
 * @property {number} newCount
 * @property {number} deletedCount
 * @property {number} allocatedBytes  of the new objects
 * @property {number} freedBytes      of the deleted ones
 * @property {number} grownCount      objects in both that are larger now
 * @property {number} grownBytes      by how much the objects in both are larger now, all together; negative when they shrank
 * @property {number} retainedDeltaBytes
 *
 * @typedef {object} Balance  heapDelta = sizeDelta + survivorGrowth, and what neither explains (bytes that belong to no node)
 * @property {number} heapDeltaBytes
 * @property {number} sizeDeltaBytes
 * @property {number} survivorGrowthBytes
 * @property {number} otherBytes
 *
 * @typedef {object} Comparison
 * @property {ClassChange[]} classes  the most growth first
 * @property {Balance} balance
 * @property {number} beforeBytes
 * @property {number} afterBytes
 */

const NOTHING = Object.freeze({ count: 0, bytes: 0 })

/**
 * @param {Baseline} before
 * @param {Analysis} after
 * @param {Baseline} [newest]  of the latter
 * @returns {Comparison}
 */
function compare (before, after, newest = toBaseline(after)) {
  const interfaces = inferInterfaces(after.raw.shapes)
  const snapshots = [before, newest].map(snapshot => ({ ...snapshot, ...classRowsOf(snapshot, interfaces) }))
  const table = new ChangeTable(snapshots)
  const { again, isNew } = matchIds(before.id, newest.id)
  for (let a = 0; a < again.length; a++) table.add(a, again[a])
  for (let b = 0; b < isNew.length; b++) if (isNew[b]) table.add(NONE, b)
  const classes = table.finish()
  const sizeDeltaBytes = sum(classes, ({ allocatedBytes, freedBytes }) => allocatedBytes - freedBytes)
  const survivorGrowthBytes = sum(classes, ({ grownBytes }) => grownBytes)
  const heapDeltaBytes = after.heapBytes - before.heapBytes
  const balance = { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes, otherBytes: heapDeltaBytes - sizeDeltaBytes - survivorGrowthBytes }
  return { classes, balance, beforeBytes: before.heapBytes, afterBytes: after.heapBytes }
}

/** @typedef {Baseline & ClassRows} ClassifiedSnapshot */

class ChangeTable {
  #before
  #after
  /** @type {Map<string, ClassChange>} */
  #byKey = new Map()
  /** By row. @type {ClassChange[]} */
  #changesBefore
  /** @type {ClassChange[]} */
  #changesAfter

  /** @param {ClassifiedSnapshot[]} snapshots */
  constructor ([before, after]) {
    this.#before = before
    this.#after = after
    this.#changesBefore = before.rows.map(row => this.#changeOf(row))
    this.#changesAfter = after.rows.map(row => this.#changeOf(row))
  }

  /** What has no size takes no part: its size was given to its owner. @param {number} a @param {number} b */
  add (a, b) {
    const [before, after] = [this.#before, this.#after]
    const changeBefore = a === NONE || before.size[a] === 0 ? undefined : this.#changesBefore[before.rowOf[before.classOf[a]]]
    const changeAfter = b === NONE || after.size[b] === 0 ? undefined : this.#changesAfter[after.rowOf[after.classOf[b]]]
    if (changeBefore === changeAfter) return changeAfter && grow(changeAfter, after.size[b] - before.size[a])
    if (changeBefore) {
      changeBefore.deletedCount++
      changeBefore.freedBytes += before.size[a]
    }
    if (changeAfter) {
      changeAfter.newCount++
      changeAfter.allocatedBytes += after.size[b]
    }
  }

  finish () {
    for (const [key, bytes] of retainedByClass(this.#after)) this.#at(key).retainedDeltaBytes += bytes
    for (const [key, bytes] of retainedByClass(this.#before)) this.#at(key).retainedDeltaBytes -= bytes
    return [...this.#byKey.values()].filter(isChange).sort((a, b) => growthOf(b) - growthOf(a) || (a.key < b.key ? -1 : 1))
  }

  /** @param {string} key */
  #at (key) {
    return /** @type {ClassChange} */ (this.#byKey.get(key))
  }

  /** @param {{ key: string, name: string }} row */
  #changeOf ({ key, name }) {
    const change = this.#byKey.get(key) ??
      { key, name, newCount: 0, deletedCount: 0, allocatedBytes: 0, freedBytes: 0, grownCount: 0, grownBytes: 0, retainedDeltaBytes: 0 }
    this.#byKey.set(key, change)
    return change
  }
}

/** @param {ClassChange} change @param {number} bytes */
function grow (change, bytes) {
  change.grownBytes += bytes
  if (bytes > 0) change.grownCount++
}

/** @param {ClassChange} change */
function isChange ({ newCount, deletedCount, grownCount, grownBytes, retainedDeltaBytes }) {
  return newCount + deletedCount + grownCount > 0 || grownBytes !== 0 || retainedDeltaBytes !== 0
}

/** @param {ClassChange} change */
function growthOf ({ allocatedBytes, freedBytes, grownBytes }) {
  return allocatedBytes - freedBytes + grownBytes
}

/** @param {ClassifiedSnapshot} snapshot @returns {Map<string, number>} by key of the class */
function retainedByClass ({ size, classOf, end, rowOf, rows }) {
  const coveredTo = new Uint32Array(rows.length)
  const retained = new Float64Array(rows.length)
  const sums = runningSums(size)
  for (let position = 0; position < size.length; position++) {
    const row = rowOf[classOf[position]]
    if (size[position] === 0 || position < coveredTo[row]) continue
    coveredTo[row] = end[position]
    retained[row] += sums[end[position]] - sums[position]
  }
  return new Map(rows.map(({ key }, row) => [key, retained[row]]))
}

/** @param {Float64Array} sizes */
function runningSums (sizes) {
  const sums = new Float64Array(sizes.length + 1)
  for (let at = 0; at < sizes.length; at++) sums[at + 1] = sums[at] + sizes[at]
  return sums
}

/**
 * Of two snapshots that cannot be compared object by object: how many there are of each class, and their size, before and after.
 * @param {Baseline} before
 * @param {Analysis} after
 * @param {Baseline} [newest]  of the latter
 * @returns {Comparison} the difference of the totals stands as new or as deleted
 */
function compareTotals (before, after, newest = toBaseline(after)) {
  const interfaces = inferInterfaces(after.raw.shapes)
  const [totalsBefore, totalsAfter] = [before, newest].map(snapshot => totalsOf(snapshot, interfaces))
  const classes = [...new Set([...totalsBefore.keys(), ...totalsAfter.keys()])]
    .map(name => changeOf(name, totalsBefore.get(name) ?? NOTHING, totalsAfter.get(name) ?? NOTHING))
    .filter(({ newCount, deletedCount, allocatedBytes, freedBytes }) => newCount + deletedCount + allocatedBytes + freedBytes > 0)
    .sort((a, b) => b.allocatedBytes - b.freedBytes - (a.allocatedBytes - a.freedBytes))
  const sizeDeltaBytes = sum(classes, ({ allocatedBytes, freedBytes }) => allocatedBytes - freedBytes)
  const heapDeltaBytes = after.heapBytes - before.heapBytes
  const balance = { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes: 0, otherBytes: heapDeltaBytes - sizeDeltaBytes }
  return { classes, balance, beforeBytes: before.heapBytes, afterBytes: after.heapBytes }
}

/**
 * Scripts have other numbers in another process: classes go by their names.
 * @param {Baseline} snapshot
 * @param {ReturnType<typeof inferInterfaces>} interfaces
 */
function totalsOf (snapshot, interfaces) {
  const { rowOf, rows } = classRowsOf(snapshot, interfaces)
  /** @type {Map<string, { count: number, bytes: number }>} */
  const totals = new Map()
  for (let position = 0; position < snapshot.size.length; position++) {
    if (snapshot.size[position] === 0) continue
    const { name } = rows[rowOf[snapshot.classOf[position]]]
    const total = totals.get(name) ?? { count: 0, bytes: 0 }
    total.count++
    total.bytes += snapshot.size[position]
    totals.set(name, total)
  }
  return totals
}

/**
 * @param {string} name
 * @param {{ count: number, bytes: number }} before
 * @param {{ count: number, bytes: number }} after
 * @returns {ClassChange}
 */
function changeOf (name, before, after) {
  return {
    key: `,${name}`,
    name,
    newCount: Math.max(0, after.count - before.count),
    deletedCount: Math.max(0, before.count - after.count),
    allocatedBytes: Math.max(0, after.bytes - before.bytes),
    freedBytes: Math.max(0, before.bytes - after.bytes),
    grownCount: 0,
    grownBytes: 0,
    retainedDeltaBytes: 0
  }
}

module.exports = { compare, compareTotals }
