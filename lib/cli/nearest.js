'use strict'

// The name that was probably meant. Pure.

const MAX_SHARE = 0.4 // of its letters: more are another word

/**
 * @param {string} typed
 * @param {readonly string[]} names
 * @returns {string | undefined}
 */
function nearest (typed, names) {
  const [best] = names.map(name => ({ name, distance: distanceOf(typed, name) })).sort((left, right) => left.distance - right.distance)
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length * MAX_SHARE)) ? best.name : undefined
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {number} letters to put in, take out, change, or swap with the next
 */
function distanceOf (from, to) {
  let before = /** @type {number[]} */ ([])
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next[column] = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1), ...(isSwap ? [before[column - 2] + 1] : []))
    }
    before = last
    last = next
  }
  return last[to.length]
}

module.exports = { nearest }
