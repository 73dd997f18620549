'use strict'

// Of which constructor there are more objects, from one heap histogram to another. Pure.

/** @import { HeapHistogram } from '../heap-histogram' */

/**
 * @typedef {object} HistogramDiff
 * @property {boolean} isSameProcess
 * @property {boolean} isComplete  every constructor has a row of its own in both; else the rarest are together in `_other`
 * @property {{ before: number, after: number }} total
 * @property {{ name: string, before: number, after: number, change: number }[]} rows  those that changed, what grew most first
 */

/**
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

module.exports = { diffHistograms, isHistogram }
