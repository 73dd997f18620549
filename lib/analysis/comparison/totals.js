'use strict'

// Two snapshots that cannot be compared object by object: how many there are of each class, and their size, before and after.

const { classRowsOf, toBaseline } = require('./baseline')
const { inferInterfaces } = require('../graph/interfaces')

/** @import { Analysis } from './analyze' */
/** @import { Baseline } from './baseline' */
/** @import { ClassChange, Comparison } from './comparison' */

/**
 * @param {Baseline} before
 * @param {Analysis} after
 * @param {Baseline} [newest]  of the latter
 * @returns {Comparison} the difference of the totals stands as new or as deleted
 */
function compareTotals (before, after, newest = toBaseline(after)) {
  const interfaces = inferInterfaces(after.raw.shapes)
  const [totalsBefore, totalsAfter] = [before, newest].map(side => totalsOf(side, interfaces))
  const classes = [...new Set([...totalsBefore.keys(), ...totalsAfter.keys()])]
    .map(name => changeOf(name, totalsBefore.get(name) ?? NOTHING, totalsAfter.get(name) ?? NOTHING))
    .filter(({ newCount, deletedCount, allocatedBytes, freedBytes }) => newCount + deletedCount + allocatedBytes + freedBytes > 0)
    .sort((a, b) => b.allocatedBytes - b.freedBytes - (a.allocatedBytes - a.freedBytes))
  const sizeDeltaBytes = classes.reduce((sum, { allocatedBytes, freedBytes }) => sum + allocatedBytes - freedBytes, 0)
  const heapDeltaBytes = after.heapBytes - before.heapBytes
  const balance = { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes: 0, otherBytes: heapDeltaBytes - sizeDeltaBytes }
  return { classes, balance, beforeBytes: before.heapBytes, afterBytes: after.heapBytes }
}

const NOTHING = Object.freeze({ count: 0, bytes: 0 })

/**
 * Scripts have other numbers in another process: classes go by their names.
 * @param {Baseline} side
 * @param {ReturnType<typeof inferInterfaces>} interfaces
 */
function totalsOf (side, interfaces) {
  const { rowOf, rows } = classRowsOf(side, interfaces)
  /** @type {Map<string, { count: number, bytes: number }>} */
  const totals = new Map()
  for (let position = 0; position < side.size.length; position++) {
    if (side.size[position] === 0) continue
    const { name } = rows[rowOf[side.classOf[position]]]
    const total = totals.get(name) ?? { count: 0, bytes: 0 }
    total.count++
    total.bytes += side.size[position]
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

module.exports = { compareTotals }
