'use strict'

// The function to look at in one part of a profile, in words.

const { describeFunction, nameOf } = require('./rows')
const { bottomUp, nearestOfApplication } = require('../profile/callers')

/** @import { CallTree } from '../profile/call-tree' */

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

module.exports = { describeHottest }
