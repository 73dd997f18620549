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
  const classes = holds.map(({ name, count, bytes, place }) => {
    const where = place === null ? '' : ` (${showPlace(place)})`
    return `${showCount(count)} ${name}${where} ${showBytes(bytes)}`
  })
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
  const heap = `heap ${exact(heapDeltaBytes)}`
  if (incomparable !== null) return `${heap} = classes ${exact(sizeDeltaBytes)}, beside them ${exact(otherBytes)}`
  const growth = `growth of what was there ${exact(survivorGrowthBytes)}`
  return `${heap} = new less deleted ${exact(sizeDeltaBytes)}, ${growth}, beside objects ${exact(otherBytes)}`
}

module.exports = { showBalance, showHoldings, showPath }
