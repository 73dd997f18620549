'use strict'

// Where the time of a CPU profile was spent, in a few short lines: for who is told of the file and does not open it yet. Pure.

const { buildCallTree } = require('../profile/call-tree')
const { bottomUp, callersOf } = require('../profile/callers')
const { summarizeTime } = require('../profile/time-kinds')
const { nameOf, percent } = require('./rows')

/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { HeavyFrame } from '../profile/callers' */

const MAX_LINES = 5
// Less of the busy time than this is not what was hot.
const MIN_SHARE = 0.05
// A recursion in a package would go on for as many frames as V8 records.
const MAX_CALLERS = 64

/**
 * @param {CpuProfile} profile
 * @param {{ appRoot?: string }} [context]
 * @returns {string[]} how busy the thread was, then the functions in which it spent that time, hottest first
 */
function hotLines (profile, context = {}) {
  const root = buildCallTree(profile, context)
  const { busy, idle } = summarizeTime(root)
  if (busy + idle === 0) return ['no samples']
  const hot = bottomUp(root).slice(0, MAX_LINES).filter(({ micros }) => micros >= busy * MIN_SHARE)
  return [
    `busy ${percent(busy, busy + idle).trim()} of ${((busy + idle) / 1e6).toFixed(1)} s`,
    ...hot.map(heavy => `${percent(heavy.micros, busy).trim()} ${nameOf(heavy.frame)}${calledBy(heavy)}`)
  ]
}

/**
 * Nobody looks for `pbkdf2Sync` in Node's own code: the application's function that most of it was for is the place to go to.
 * @param {HeavyFrame} heavy
 */
function calledBy (heavy) {
  let [caller] = heavy.frame.origin === 'app' ? [] : callersOf(heavy)
  for (let level = 0; level < MAX_CALLERS && caller !== undefined && caller.frame.origin !== 'app'; level++) [caller] = callersOf(caller)
  return caller?.frame.origin === 'app' ? `, called by ${nameOf(caller.frame)}` : ''
}

module.exports = { hotLines }
