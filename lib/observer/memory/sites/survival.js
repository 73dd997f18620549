'use strict'

// Judges by the age of what is alive whether a site leaks: what leaks is alive from every interval in which it was allocated; of a cache with a limit
// and of work in progress the older part is gone; a warm-up is alive from the first interval only. Pure.

const { sum } = require('../../../base/sums')
/** @import { AllocationSite } from '../../../../types/memory' */

const MIN_INTERVALS = 4 // the last one is not judged: its requests may be under way
const MIN_SAMPLES = 5
const FEW_SAMPLES = 24 // then there are only three intervals: an empty one would be chance
const FEW_INTERVALS = 3
const ONCE_SHARE = 0.8
const MIN_OLD_SHARE = 0.35 // of a leak the older half is as large as the younger one
const MIN_ALIVE_SHARE = 0.75 // of the intervals; a leak may come from a job that runs now and then

/**
 * @param {readonly number[]} byBirth  bytes, oldest first
 * @param {readonly number[]} intervals  seconds of each
 * @param {number} samples
 * @returns {AllocationSite['verdict']}
 */
function judgeSurvival (byBirth, intervals, samples) {
  if (byBirth.length < MIN_INTERVALS || samples < MIN_SAMPLES) return 'young'
  const judged = byBirth.slice(0, -1)
  const total = sum(judged)
  if (total === 0) return 'temporary'
  if (judged[0] >= total * ONCE_SHARE) return 'once'
  const groups = samples < FEW_SAMPLES ? inGroups(judged, FEW_INTERVALS) : judged
  const alive = groups.filter(bytes => bytes > 0).length
  if (alive < groups.length * MIN_ALIVE_SHARE) return 'temporary'
  const half = Math.floor(judged.length / 2)
  const perSecond = (/** @type {number} */ from, /** @type {number} */ to) => sum(judged.slice(from, to)) / sum(intervals.slice(from, to))
  const [older, younger] = [perSecond(0, half), perSecond(judged.length - half, judged.length)]
  const error = (older + younger) / Math.sqrt(samples) // twice the standard error of each
  return older + error >= younger * MIN_OLD_SHARE ? 'stays' : 'temporary'
}

/** @param {readonly number[]} values @param {number} count */
function inGroups (values, count) {
  return Array.from({ length: count }, (_, index) => sum(values.slice(Math.round(index * values.length / count), Math.round((index + 1) * values.length / count))))
}

module.exports = { judgeSurvival, MIN_INTERVALS }
