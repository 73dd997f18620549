'use strict'

// The CPU profile of a group: the same stretch of time of each of its processes, merged.

const { toEpochMs } = require('../base/monotonic')
const { createMerging } = require('../formats/merging/merge-profiles')
const { describeAsked, readParts } = require('./read-parts')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { GroupAnswer, GroupQuestion } from './ask-group' */
/** @import { Asked } from './read-parts' */

const ANSWER_MS = 2500 // beyond the time to be recorded
const NEAR_ENOUGH = 0.9 // the last windows end a little before the time that was asked for

/**
 * @typedef {object} GroupCpuProfile
 * @property {CpuProfile} profile  as the code runs: where it was written is looked up once, in what is merged
 * @property {number} startedAt    milliseconds since the epoch
 * @property {Asked[]} asked
 * @property {number} answered     how many of them it is of
 * @property {string[]} notes      for a person: who is missing, who had recorded less
 */

/**
 * @param {(path: string, question: GroupQuestion) => Promise<GroupAnswer[]>} ask
 * @param {{ fromMs: number, toMs: number }} wanted  milliseconds since the epoch; it may lie ahead
 * @param {AbortSignal} [signal]
 * @returns {Promise<GroupCpuProfile>}
 */
async function groupCpuProfile (ask, { fromMs, toMs }, signal) {
  const answers = await ask(pathOf(fromMs, toMs), { withinMs: Math.max(0, toMs - Date.now()) + ANSWER_MS, signal })
  const merging = createMerging()
  /** @type {Map<string, number>} */
  const recordedMs = new Map()
  const asked = await readParts(answers, 'cpuProfile', ({ process, content }) => {
    merging.add({ process, profile: content })
    recordedMs.set(process, (content.endTime - content.startTime) / 1e3)
  })
  const profile = merging.result()
  const { answered, notes } = describeAsked(asked)
  return { profile, startedAt: startOf(profile, fromMs), asked, answered, notes: [...notes, ...shortened(recordedMs, toMs - fromMs)] }
}

/**
 * @param {number} fromMs
 * @param {number} toMs
 */
function pathOf (fromMs, toMs) {
  return `/cpu?from=${Math.floor(fromMs)}&to=${Math.ceil(toMs)}&format=cpuprofile&sources=generated`
}

/**
 * The processes of a host have one monotonic clock.
 * @param {CpuProfile} profile
 * @param {number} otherwise
 */
function startOf ({ startTime, samples }, otherwise) {
  return samples.length === 0 ? otherwise : Math.round(toEpochMs(startTime))
}

/**
 * @param {ReadonlyMap<string, number>} recordedMs
 * @param {number} wantedMs
 */
function shortened (recordedMs, wantedMs) {
  const less = [...recordedMs].filter(([, ms]) => ms < wantedMs * NEAR_ENOUGH).map(([, ms]) => ms)
  if (less.length === 0) return []
  const [fewest, most] = [Math.min(...less), Math.max(...less)].map(ms => (ms / 1e3).toFixed(1))
  const range = fewest === most ? fewest : `${fewest} to ${most}`
  return [`${less.length} of the processes held ${range} s of the ${(wantedMs / 1e3).toFixed(1)} s asked for`]
}

module.exports = { groupCpuProfile }
