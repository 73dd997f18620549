'use strict'

// Requests and merges the CPU profiles of a group, for the same time range in each process, and its sampled allocations.

const { setImmediate: othersTurn } = require('node:timers/promises')
const { toEpochMs } = require('../../base/monotonic')
const { isHeapProfile } = require('../../formats/profile/heap-tree')
const { HeapMerging, Merging } = require('../../formats/merge-profiles')
const { readAnswer } = require('../../shared/group/answers')
const { namesOf } = require('../../shared/group/members')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { HeapSampling } from '../../formats/profile/heap-tree' */
/** @import { AnswerKind } from '../../shared/group/answers' */
/** @import { GroupAnswer, GroupQuestion } from '../../shared/group/ask-group' */

const ANSWER_MS = 2500 // in addition to the recording time
const FIRST_SECONDS = 5 // a process that did not sample yet begins with the first request
const MAX_NAMED = 8
const NEAR_ENOUGH = 0.9 // the last windows end slightly before the requested time

/**
 * @typedef {object} GroupFacts
 * @property {Asked[]} asked
 * @property {number} answered     how many of them the profile contains
 * @property {string[]} notes      as text: which processes are missing, or recorded less
 *
 * In positions of the running code: original positions are resolved once, after the merge. Times are in milliseconds since the epoch.
 * @typedef {GroupFacts & { profile: CpuProfile, startedAt: number }} GroupCpuProfile
 * @typedef {GroupFacts & Omit<HeapSampling, 'before'>} GroupHeapProfile
 *
 * @typedef {{ process: string, problem: string | null }} Asked  process: its name in the merged profile; problem: why it is missing
 */

/**
 * @param {(path: string, question: GroupQuestion) => Promise<GroupAnswer[]>} ask
 * @param {{ fromMs: number, toMs: number }} wanted  milliseconds since the epoch; may be in the future
 * @param {AbortSignal} [signal]
 * @returns {Promise<GroupCpuProfile>}
 */
async function groupCpuProfile (ask, { fromMs, toMs }, signal) {
  const answers = await ask(pathOf(fromMs, toMs), { withinMs: Math.max(0, toMs - Date.now()) + ANSWER_MS, signal })
  const merging = new Merging()
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

/** @param {number} fromMs @param {number} toMs */
function pathOf (fromMs, toMs) {
  return `/cpu?from=${Math.floor(fromMs)}&to=${Math.ceil(toMs)}&format=cpuprofile&sources=generated`
}

/** The processes of a host have one monotonic clock. @param {CpuProfile} profile @param {number} otherwise */
function startOf ({ startTime, samples }, otherwise) {
  return samples.length === 0 ? otherwise : Math.round(toEpochMs(startTime))
}

/** @param {ReadonlyMap<string, number>} recordedMs @param {number} wantedMs */
function shortened (recordedMs, wantedMs) {
  const less = [...recordedMs].filter(([, ms]) => ms < wantedMs * NEAR_ENOUGH).map(([, ms]) => ms)
  if (less.length === 0) return []
  const [fewest, most] = [Math.min(...less), Math.max(...less)].map(ms => (ms / 1e3).toFixed(1))
  const range = fewest === most ? fewest : `${fewest} to ${most}`
  return [`${less.length} of the processes held ${range} s of the ${(wantedMs / 1e3).toFixed(1)} s asked for`]
}

/**
 * @param {(path: string, question: GroupQuestion) => Promise<GroupAnswer[]>} ask
 * @param {{ mode: 'live' | 'all', seconds: number | undefined }} wanted  seconds: only new allocations of that time; undefined: since sampling began
 * @param {AbortSignal} [signal]
 * @returns {Promise<GroupHeapProfile>}
 */
async function groupHeapProfile (ask, { mode, seconds }, signal) {
  const fromMs = Date.now()
  const query = new URLSearchParams({ mode, format: 'heapprofile', sources: 'generated', ...(seconds !== undefined && { seconds: String(seconds) }) })
  const answers = await ask(`/heap-profile?${query}`, { withinMs: (seconds ?? FIRST_SECONDS) * 1e3 + ANSWER_MS, signal })
  const merging = new HeapMerging()
  const asked = await readParts(answers, 'heapProfile', ({ process, content }) => {
    if (!isHeapProfile(content)) throw new Error('it is no heap profile')
    merging.add({ process, profile: content })
  })
  return { profile: merging.result(), asked, ...describeAsked(asked), fromMs, toMs: Date.now() }
}

/**
 * Reads the answers one by one: an unusable one does not affect the others. It yields to the event loop between two of them, because each takes tens
 * of milliseconds to read and merge.
 * @param {readonly GroupAnswer[]} answers
 * @param {AnswerKind} kind
 * @param {(part: { process: string, content: any }) => void} take  throws if the content is not the requested one
 * @returns {Promise<Asked[]>} in the order of the answers
 */
async function readParts (answers, kind, take) {
  const nameOf = namesOf(answers.map(({ member }) => member))
  /** @type {Asked[]} */
  const asked = []
  for (const answer of answers) {
    const process = nameOf(answer.member)
    const { value, problem } = readAnswer(answer, kind)
    asked.push({ process, problem: problem ?? takeOne(() => take({ process, content: value })) })
    await othersTurn()
  }
  return asked
}

/** @param {() => void} take */
function takeOne (take) {
  try {
    take()
    return null
  } catch (error) {
    return `its answer cannot be read: ${/** @type {Error} */ (error).message}`
  }
}

/**
 * @param {readonly Asked[]} asked
 * @returns {{ answered: number, all: number, notes: string[] }} notes: as text, which processes are missing and why
 */
function describeAsked (asked) {
  const missing = asked.filter(({ problem }) => problem !== null)
  const notes = missing.slice(0, MAX_NAMED).map(({ process, problem }) => `without process ${process}: ${problem}`)
  if (missing.length > MAX_NAMED) notes.push(`and without ${missing.length - MAX_NAMED} more`)
  return { answered: asked.length - missing.length, all: asked.length, notes }
}

module.exports = { groupCpuProfile, groupHeapProfile }
