'use strict'

// Suggests the name that was meant for one that was mistyped.

const MAX_TYPO_SHARE = 0.4 // of the letters of a name: with more wrong ones no suggestion is made

/** @param {string} typed @param {readonly string[]} names @returns {string | undefined} */
function closestName (typed, names) {
  // As a route without its method.
  const endings = names.filter(name => name.endsWith(` ${typed}`))
  if (endings.length === 1) return endings[0]
  const [best] = names.map(name => ({ name, distance: distanceOf(typed, name) })).sort((left, right) => left.distance - right.distance)
  if (best === undefined || best.distance >= best.name.length) return undefined
  return best.distance <= Math.max(1, Math.floor(best.name.length * MAX_TYPO_SHARE)) ? best.name : undefined
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {number} the edit distance: letters inserted, removed, changed, or swapped with the next
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

module.exports = { closestName }
