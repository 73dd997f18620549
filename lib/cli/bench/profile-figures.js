'use strict'

// What a profile of a load tells in numbers: how much of the time the loop was at work, and what each function took a request. Pure.

const { diffProfiles } = require('../../shared/formats/differences')
const { buildCallTree } = require('../../shared/formats/profile/call-tree')
const { summarizeTime } = require('../../shared/formats/profile/time-kinds')

/** @import { CpuProfile } from '../../../types/profile' */

/**
 * @typedef {object} FunctionChange  microseconds of the main thread for each request
 * @property {string} name
 * @property {string} place
 * @property {number} before
 * @property {number} after
 * @property {number} change
 */

/** @param {CpuProfile} profile */
function utilizationOf (profile) {
  const root = buildCallTree(profile, {})
  return root.totalMicros === 0 ? null : summarizeTime(root).busy / root.totalMicros
}

/**
 * Not as shares of the time at work: where the heaviest function goes, the share of all others grows, though they take what they
 * took before.
 * @param {{ profile: CpuProfile, answered: number, appRoot: string }} before
 * @param {{ profile: CpuProfile, answered: number, appRoot: string }} after
 * @returns {FunctionChange[]} what got hotter first, what got colder last
 */
function changesPerRequest (before, after) {
  const difference = diffProfiles(before.profile, after.profile, { appRoot: after.appRoot })
  const microsBefore = difference.before.busyMs * 1e3 / before.answered
  const microsAfter = difference.after.busyMs * 1e3 / after.answered
  return difference.rows
    .map(({ name, place, selfBefore, selfAfter }) => ({ name, place, before: selfBefore * microsBefore, after: selfAfter * microsAfter }))
    .map(row => ({ ...row, change: row.after - row.before }))
    .filter(({ change }) => change !== 0)
    .sort((a, b) => b.change - a.change)
}

module.exports = { changesPerRequest, utilizationOf }
