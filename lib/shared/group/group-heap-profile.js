'use strict'

// The sampled allocations of a group: those of each of its processes, merged.

const { isHeapProfile } = require('../formats/differences/heap-profile')
const { createHeapMerging } = require('../formats/merging/merge-heap-profiles')
const { describeAsked, readParts } = require('./read-parts')

/** @import { SamplingProfile } from '../formats/profile/heap-tree' */
/** @import { GroupAnswer, GroupQuestion } from './ask-group' */
/** @import { Asked } from './read-parts' */

const FIRST_SECONDS = 5 // a process that did not sample yet begins with the question
const ANSWER_MS = 2500

/**
 * @typedef {object} GroupHeapProfile
 * @property {SamplingProfile} profile  as the code runs
 * @property {Asked[]} asked
 * @property {number} answered  how many of them it is of
 * @property {string[]} notes   for a person: who is missing
 * @property {number} fromMs    milliseconds since the epoch
 * @property {number} toMs
 */

/**
 * @param {(path: string, question: GroupQuestion) => Promise<GroupAnswer[]>} ask
 * @param {{ mode: 'live' | 'all', seconds: number | undefined }} wanted  seconds: what is new in them; undefined: since sampling began
 * @param {AbortSignal} [signal]
 * @returns {Promise<GroupHeapProfile>}
 */
async function groupHeapProfile (ask, { mode, seconds }, signal) {
  const fromMs = Date.now()
  const query = new URLSearchParams({ mode, format: 'heapprofile', sources: 'generated', ...(seconds !== undefined && { seconds: String(seconds) }) })
  const answers = await ask(`/heap-profile?${query}`, { withinMs: (seconds ?? FIRST_SECONDS) * 1e3 + ANSWER_MS, signal })
  const merging = createHeapMerging()
  const asked = await readParts(answers, 'heapProfile', ({ process, content }) => {
    if (!isHeapProfile(content)) throw new Error('it is no heap profile')
    merging.add({ process, profile: content })
  })
  return { profile: merging.result(), asked, ...describeAsked(asked), fromMs, toMs: Date.now() }
}

module.exports = { groupHeapProfile }
