'use strict'

// The function to look at in one part of a profile, in words.

const { describeFunction, nameOf } = require('./rows')
const { bottomUp, callersOf } = require('../profile/callers')

/** @import { CallTree } from '../profile/call-tree' */
/** @import { HeavyFrame } from '../profile/callers' */

/**
 * @param {CallTree} root
 * @param {(tree: CallTree) => number} microsOf  which of the time spent in a function itself counts
 * @returns {string} empty where no time was spent
 */
function describeHottest (root, microsOf) {
  const [heavy] = bottomUp(root, microsOf)
  if (heavy === undefined) return ''
  const caller = nearestOfApplication(heavy)
  return caller === undefined || caller === heavy ? describeFunction(heavy) : `${nameOf(heavy.frame)}, called by ${nameOf(caller.frame)}`
}

/**
 * @param {HeavyFrame} heavy
 * @returns {HeavyFrame | undefined} itself, or who called it most
 */
function nearestOfApplication (heavy) {
  /** @type {HeavyFrame | undefined} */
  let at = heavy
  while (at !== undefined && at.frame.origin !== 'app') [at] = callersOf(at)
  return at
}

module.exports = { describeHottest }
