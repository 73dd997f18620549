'use strict'

/**
 * The order of the cases in a round: another one begins each time, so that no case always follows the same one.
 * @param {readonly unknown[]} cases
 * @param {number} round
 * @returns {number[]} their indexes
 */
function turns (cases, round) {
  return cases.map((_, at) => (at + round) % cases.length)
}

module.exports = { turns }
