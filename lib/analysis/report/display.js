'use strict'

// What a report says of suspects, as text. Pure; the HTML page says the same with its own means.

const { showBytes, showCount } = require('../../shared/base/sizes')

/** @import { Place, Step } from '../suspects/retainer-path' */
/** @import { Suspect } from '../suspects/suspects' */
/** @import { HeapReport } from '../comparison/compare-files' */

/** @param {Place | null} place */
function showPlace (place) {
  return place === null ? '' : `${place.file}:${place.line}`
}

/** @param {readonly Step[]} path */
function showPath (path) {
  return path.map(({ by, name, className, place }) => {
    const hold = by === 'entry' ? '[entry]' : by === 'variable' ? `variable ${name}` : by === 'internal' ? `{${name}}` : `.${name}`
    return `${hold} ${className}${place === null ? '' : ` (${showPlace(place)})`}`
  })
}

/** @param {Suspect} suspect */
function showHoldings ({ holds, functions, newObjects }) {
  const classes = holds.map(({ name, count, bytes, place }) => `${showCount(count)} ${name}${place === null ? '' : ` (${showPlace(place)})`} ${showBytes(bytes)}`)
  const made = functions.map(({ place, count }) => `${showCount(count)} functions made at ${showPlace(place)}`)
  return [`${showCount(newObjects)} new objects`, ...classes, ...made].join(', ')
}

/**
 * The line that must add up.
 * @param {HeapReport} report
 */
function showBalance ({ balance, incomparable }) {
  const { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes, otherBytes } = balance
  const exact = (/** @type {number} */ bytes) => `${bytes > 0 ? '+' : ''}${showCount(bytes)} B`
  if (incomparable !== null) return `heap ${exact(heapDeltaBytes)} = classes ${exact(sizeDeltaBytes)}, beside them ${exact(otherBytes)}`
  return `heap ${exact(heapDeltaBytes)} = new less deleted ${exact(sizeDeltaBytes)}, growth of what was there ${exact(survivorGrowthBytes)}, beside objects ${exact(otherBytes)}`
}

module.exports = { showBalance, showHoldings, showPath, showPlace }
