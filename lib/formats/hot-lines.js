'use strict'

// Summarizes a CPU profile in a few short lines, for readers who have not opened the file. Pure.

const { buildCallTree } = require('./profile/call-tree')
const { bottomUp, nearestOfApplication } = require('./profile/callers')
const { summarizeTime } = require('./profile/time-kinds')
const { nameOf, percent } = require('./text-rows')

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { HeavyFrame } from './profile/callers' */

const MAX_LINES = 5
// A function with a smaller share of the busy time is not hot.
const MIN_SHARE = 0.05

/**
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} [context]
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
 * A function of Node.js such as `pbkdf2Sync` is shown with the function of the application that called it most, because that can be changed.
 * @param {HeavyFrame} heavy
 */
function calledBy (heavy) {
  const caller = nearestOfApplication(heavy)
  return caller === undefined || caller === heavy ? '' : `, called by ${nameOf(caller.frame)}`
}

module.exports = { hotLines }
