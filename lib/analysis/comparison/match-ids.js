'use strict'

// Which objects several snapshots of one process have in common, by their ids.

const { sortById } = require('../graph/sort-by-id')

const NONE = -1

/**
 * @param {Uint32Array} before
 * @param {Uint32Array} after
 * @param {(a: number, b: number) => void} onId  positions; NONE where the other side has no such id
 */
function matchIds (before, after, onId) {
  const [as, bs] = [sortById(before), sortById(after)]
  let i = 0
  let j = 0
  while (i < as.length || j < bs.length) {
    const a = i < as.length ? before[as[i]] : Infinity
    const b = j < bs.length ? after[bs[j]] : Infinity
    onId(a <= b ? as[i] : NONE, b <= a ? bs[j] : NONE)
    if (a <= b) i++
    if (b <= a) j++
  }
}

module.exports = { matchIds, NONE }
