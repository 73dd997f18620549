'use strict'

// What got hotter from one CPU profile to another, function by function. Shares of the time at work are compared, since two
// recordings are never equally long or busy. Pure.

const { buildCallTree } = require('../profile/call-tree')
const { callsOf } = require('../profile/calls')
const { placeOf } = require('../profile/frame')
const { timeKindOf } = require('../profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../../../types/profile' */
/** @import { CallTree } from '../profile/call-tree' */

/**
 * @typedef {object} DiffRow  shares are 0 to 1
 * @property {string} name
 * @property {string} place
 * @property {number} selfBefore
 * @property {number} selfAfter
 * @property {number} selfChange
 * @property {number} totalBefore  a recursion counts once
 * @property {number} totalAfter
 * @property {number} totalChange
 */

/**
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {{ before: { busyMs: number, totalMs: number }, after: { busyMs: number, totalMs: number }, rows: DiffRow[] }}
 *   rows: what got hotter first, what got cooler last
 */
function diffProfiles (before, after, context = {}) {
  const earlier = measure(buildCallTree(before, context))
  const later = measure(buildCallTree(after, context))
  const keys = new Set([...earlier.functions.keys(), ...later.functions.keys()])
  const rows = [...keys].map(key => rowOf(key, earlier, later))
    .filter(({ selfChange, totalChange }) => selfChange !== 0 || totalChange !== 0)
  rows.sort((left, right) => right.selfChange - left.selfChange || right.totalChange - left.totalChange)
  return { before: timesOf(earlier), after: timesOf(later), rows }
}

/**
 * @typedef {{ name: string, place: string, self: number, total: number }} Times  microseconds
 * @typedef {{ functions: Map<string, Times>, busy: number, all: number }} Measured
 */

/**
 * @param {CallTree} root
 * @returns {Measured}
 */
function measure (root) {
  /** @type {Map<string, Times>} */
  const functions = new Map()
  let busy = 0
  const keyOf = (/** @type {CallTree} */ { frame }) => `${frame.name} ${placeOf(frame)}`
  for (const { tree, key, isNested } of callsOf(root.children, keyOf)) {
    if (timeKindOf(tree.frame) === 'idle') continue
    busy += tree.selfMicros
    const times = functions.get(key) ?? { name: tree.frame.name, place: placeOf(tree.frame), self: 0, total: 0 }
    functions.set(key, times)
    times.self += tree.selfMicros
    if (!isNested) times.total += tree.totalMicros
  }
  return { functions, busy, all: root.totalMicros }
}

/**
 * @param {string} key
 * @param {Measured} earlier
 * @param {Measured} later
 * @returns {DiffRow}
 */
function rowOf (key, earlier, later) {
  const before = earlier.functions.get(key)
  const after = later.functions.get(key)
  const { name, place } = /** @type {Times} */ (after ?? before)
  const share = (/** @type {number} */ micros, /** @type {number} */ busy) => busy === 0 ? 0 : micros / busy
  const [selfBefore, selfAfter] = [share(before?.self ?? 0, earlier.busy), share(after?.self ?? 0, later.busy)]
  const [totalBefore, totalAfter] = [share(before?.total ?? 0, earlier.busy), share(after?.total ?? 0, later.busy)]
  const [selfChange, totalChange] = [selfAfter - selfBefore, totalAfter - totalBefore]
  return { name, place, selfBefore, selfAfter, selfChange, totalBefore, totalAfter, totalChange }
}

/** @param {Measured} measured */
function timesOf ({ busy, all }) {
  return { busyMs: busy / 1e3, totalMs: all / 1e3 }
}

module.exports = { diffProfiles }
