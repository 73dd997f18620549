'use strict'

// Compares two recordings: functions that got hotter, functions that allocated more, constructors with more objects. Pure.

const { buildCallTree } = require('./profile/call-tree')
const { callsOf } = require('./profile/callers')
const { placeOf } = require('./profile/frame')
const { buildHeapTree, bytesByFunction } = require('./profile/heap-tree')
const { timeKindOf } = require('./profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { HeapHistogram } from './formats' */
/** @import { CallTree } from './profile/call-tree' */
/** @import { Origin } from './profile/frame' */
/** @import { SamplingProfile } from './profile/heap-tree' */

/**
 * @typedef {object} DiffRow  shares are 0 to 1
 * @property {string} name
 * @property {string} place
 * @property {Origin} origin
 * @property {number} selfBefore
 * @property {number} selfAfter
 * @property {number} selfChange
 * @property {number} totalBefore  a recursion counts once
 * @property {number} totalAfter
 * @property {number} totalChange
 * @property {boolean} isSelfClear  the change is more than two recordings of the same code differ by
 * @property {boolean} isTotalClear
 *
 * @typedef {Pick<DiffRow, 'name' | 'place' | 'selfBefore' | 'selfAfter' | 'selfChange' | 'totalChange'>} HeapDiffRow  bytes
 *
 * @typedef {object} HistogramDiff
 * @property {boolean} isSameProcess
 * @property {boolean} isComplete  each constructor has its own row in both; otherwise the rarest are combined in `_other`
 * @property {{ before: number, after: number }} total
 * @property {{ name: string, before: number, after: number, change: number }[]} rows  those that changed, largest growth first
 *
 * @typedef {{ name: string, place: string, origin: Origin, self: number, total: number }} Times  microseconds
 * @typedef {{ functions: Map<string, Times>, busy: number, all: number, samples: number }} Measured  samples: while it was busy
 */

// The standard error of a share p of n samples is √(p(1-p)/n). A difference counts as clear above twice its standard error.
const STANDARD_ERRORS = 2

/**
 * Compares the functions of two CPU profiles by their shares of busy time, because two recordings never have the same length and load.
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {{ before: { busyMs: number, totalMs: number }, after: { busyMs: number, totalMs: number }, rows: DiffRow[] }}
 *   rows: from hotter to colder
 */
function diffProfiles (before, after, context = {}) {
  const earlier = measureCpu(buildCallTree(before, context))
  const later = measureCpu(buildCallTree(after, context))
  const keys = new Set([...earlier.functions.keys(), ...later.functions.keys()])
  const rows = [...keys].map(key => rowOf(key, earlier, later))
    .filter(({ selfChange, totalChange }) => selfChange !== 0 || totalChange !== 0)
  rows.sort((left, right) => right.selfChange - left.selfChange || right.totalChange - left.totalChange)
  return { before: timesOf(earlier), after: timesOf(later), rows }
}

/** @param {CallTree} root @returns {Measured} */
function measureCpu (root) {
  /** @type {Map<string, Times>} */
  const functions = new Map()
  let [busy, samples] = [0, 0]
  const keyOf = (/** @type {CallTree} */ { frame }) => `${frame.name} ${placeOf(frame)}`
  for (const { tree, key, isNested } of callsOf(root.children, keyOf)) {
    if (timeKindOf(tree.frame) === 'idle') continue
    busy += tree.selfMicros
    samples += tree.selfSamples
    const times = functions.get(key) ?? { name: tree.frame.name, place: placeOf(tree.frame), origin: tree.frame.origin, self: 0, total: 0 }
    functions.set(key, times)
    times.self += tree.selfMicros
    if (!isNested) times.total += tree.totalMicros
  }
  return { functions, busy, samples, all: root.totalMicros }
}

/** @param {string} key @param {Measured} earlier @param {Measured} later @returns {DiffRow} */
function rowOf (key, earlier, later) {
  const before = earlier.functions.get(key)
  const after = later.functions.get(key)
  const { name, place, origin } = /** @type {Times} */ (after ?? before)
  const share = (/** @type {number} */ micros, /** @type {number} */ busy) => busy === 0 ? 0 : micros / busy
  const [selfBefore, selfAfter] = [share(before?.self ?? 0, earlier.busy), share(after?.self ?? 0, later.busy)]
  const [totalBefore, totalAfter] = [share(before?.total ?? 0, earlier.busy), share(after?.total ?? 0, later.busy)]
  const [selfChange, totalChange] = [selfAfter - selfBefore, totalAfter - totalBefore]
  const samples = [earlier.samples, later.samples]
  const isSelfClear = isClear([selfBefore, selfAfter], samples)
  const isTotalClear = isClear([totalBefore, totalAfter], samples)
  return { name, place, origin, selfBefore, selfAfter, selfChange, totalBefore, totalAfter, totalChange, isSelfClear, isTotalClear }
}

/**
 * @param {number[]} shares  before and after
 * @param {number[]} samples
 */
function isClear (shares, samples) {
  const variance = shares.reduce((sum, share, index) => sum + Math.max(0, share * (1 - share)) / Math.max(1, samples[index]), 0)
  return Math.abs(shares[1] - shares[0]) > STANDARD_ERRORS * Math.sqrt(variance)
}

/** @param {Measured} measured */
function timesOf ({ busy, all }) {
  return { busyMs: busy / 1e3, totalMs: all / 1e3 }
}

/**
 * Compares the functions of two heap profiles by the bytes that they allocated.
 * @param {SamplingProfile} before
 * @param {SamplingProfile} after
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {{ beforeBytes: number, afterBytes: number, rows: HeapDiffRow[] }} largest growth first
 */
function diffHeapProfiles (before, after, context = {}) {
  const [earlier, later] = [before, after].map(profile => measureHeap(profile, context))
  const nothing = { selfBytes: 0, totalBytes: 0 }
  const rows = [...new Set([...earlier.functions.keys(), ...later.functions.keys()])].map(key => {
    const [a, b] = [earlier.functions.get(key) ?? nothing, later.functions.get(key) ?? nothing]
    const [name, place] = key.split('\0')
    const [selfChange, totalChange] = [b.selfBytes - a.selfBytes, b.totalBytes - a.totalBytes]
    return { name, place, selfBefore: a.selfBytes, selfAfter: b.selfBytes, selfChange, totalChange }
  }).filter(({ selfChange, totalChange }) => selfChange !== 0 || totalChange !== 0)
  rows.sort((a, b) => b.selfChange - a.selfChange || b.totalChange - a.totalChange)
  return { beforeBytes: earlier.totalBytes, afterBytes: later.totalBytes, rows }
}

/** @param {SamplingProfile} profile @param {Pick<EncodeContext, 'appRoot'>} context */
function measureHeap (profile, context) {
  const root = buildHeapTree({ profile, before: null }, context)
  const entries = bytesByFunction(root).map(({ frame, ...bytes }) => /** @type {const} */ ([`${frame.name}\0${placeOf(frame)}`, bytes]))
  return { totalBytes: root.totalBytes, functions: new Map(entries) }
}

/**
 * Compares the number of objects of each constructor.
 * @param {HeapHistogram} before
 * @param {HeapHistogram} after
 * @returns {HistogramDiff}
 */
function diffHistograms (before, after) {
  const [countsBefore, countsAfter] = [before, after].map(({ classes }) => new Map(classes.map(({ name, count }) => [name, count])))
  const rows = [...new Set([...countsBefore.keys(), ...countsAfter.keys()])]
    .map(name => ({ name, before: countsBefore.get(name) ?? 0, after: countsAfter.get(name) ?? 0 }))
    .map(row => ({ ...row, change: row.after - row.before }))
    .filter(({ change }) => change !== 0)
    .sort((a, b) => b.change - a.change || (a.name < b.name ? -1 : 1))
  return {
    isSameProcess: before.pid === after.pid,
    isComplete: !countsBefore.has('_other') && !countsAfter.has('_other'),
    total: { before: before.total, after: after.total },
    rows
  }
}

/**
 * @param {any} value  of a file
 * @returns {value is HeapHistogram}
 */
function isHistogram (value) {
  const { type, version, classes, total } = Object(value)
  return type === 'loopscope-heap-histogram' && version === 1 && Number.isFinite(total) && Array.isArray(classes) &&
    classes.every(one => typeof one?.name === 'string' && Number.isFinite(one.count))
}

module.exports = { diffHeapProfiles, diffHistograms, diffProfiles, isHistogram }
