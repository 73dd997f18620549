'use strict'

// The rules about code that holds the loop: each takes the spots of its kind. A spot is of one kind only, so none is said twice.

const { hasSmallWrites, manyWrites } = require('../../readings')
const { kindOf } = require('./kind')

/** @import { Finding } from '../../../../../types/findings' */
/** @import { Rule } from '../../finding' */
/** @import { Readings, Spot } from '../../readings' */

/**
 * @typedef {object} HotRule
 * @property {Finding['id']} id
 * @property {(spots: Spot[], readings: Readings) => Spot[]} [join]  of its kind, those that are one loss
 * @property {(spot: Spot, readings: Readings) => Finding | null} say  null: it is too little to be worth a word
 */

/** @type {readonly HotRule[]} */
const HOT_RULES = [
  require('./sync-call'),
  require('./json'),
  require('./clock'),
  require('./dependency'),
  require('./function')
]

/** @type {readonly Rule[]} */
const RULES = [require('./logging'), ...HOT_RULES.map(toRule)]

/**
 * @param {HotRule} rule
 * @returns {Rule}
 */
function toRule ({ id, say, join = spots => spots }) {
  return {
    ids: [id],
    // The loop is full of it, and requests wait for it: there is one thing to change.
    explains: ['many-short-turns', 'slow-elsewhere'],
    find (readings) {
      const isSmall = hasSmallWrites(readings)
      const isMany = manyWrites(readings) !== null
      // Many small writes are a finding of their own (rules/socket-calls.js); one for each answer is what answering costs.
      const isPlainWriting = (/** @type {Spot} */ { isWriting, stalls }) => isWriting && (isMany || (isSmall && stalls.count === 0))
      const spots = (readings.activity?.spots ?? []).filter(spot => kindOf(spot) === id && !isPlainWriting(spot))
      return join(spots, readings).flatMap(spot => say(spot, readings) ?? [])
    }
  }
}

module.exports = { RULES }
