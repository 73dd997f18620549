'use strict'

// Formats the parts of a heap report that the text and the HTML page share. Pure.

const { showBytes, showCount } = require('../../base/sizes')

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
    const reference = by === 'entry' ? '[entry]' : by === 'variable' ? `variable ${name}` : by === 'internal' ? `{${name}}` : `.${name}`
    return `${reference} ${className}${place === null ? '' : ` (${showPlace(place)})`}`
  })
}

/** @param {Suspect} suspect */
function showHoldings ({ holds, functions, newObjects }) {
  const classes = holds.map(({ name, count, bytes, place }) => {
    const where = place === null ? '' : ` (${showPlace(place)})`
    return `${showCount(count)} ${name}${where} ${showBytes(bytes)}`
  })
  const created = functions.map(({ place, count }) => `${showCount(count)} functions created at ${showPlace(place)}`)
  return [`${showCount(newObjects)} new objects`, ...classes, ...created].join(', ')
}

/**
 * The balance: how the growth of the heap is composed.
 * @param {HeapReport} report
 */
function showBalance ({ balance, incomparable }) {
  const { heapDeltaBytes, sizeDeltaBytes, survivorGrowthBytes, otherBytes } = balance
  const exact = (/** @type {number} */ bytes) => `${bytes > 0 ? '+' : ''}${showCount(bytes)} B`
  const heap = `heap ${exact(heapDeltaBytes)}`
  if (incomparable !== null) return `${heap} = classes ${exact(sizeDeltaBytes)}, other ${exact(otherBytes)}`
  const growth = `growth of surviving objects ${exact(survivorGrowthBytes)}`
  return `${heap} = new minus deleted ${exact(sizeDeltaBytes)}, ${growth}, outside objects ${exact(otherBytes)}`
}

module.exports = { showBalance, showHoldings, showPath }
