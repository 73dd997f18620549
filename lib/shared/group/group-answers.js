'use strict'

// The table of what a group can be asked: which routes of each process answer it, and how their answers become one. A process that is
// stopped, stuck or gone makes the answer incomplete, and never an error.

const { mergeFindings } = require('../findings/merge-findings')
const { ANSWERS, readAnswer } = require('./answers')
const { askGroup } = require('./ask-group')
const { mergeOverview } = require('./merging/overview')
const { mergeSlowRequests } = require('./merging/slow-requests')
const { mergeStalls } = require('./merging/stalls')
const { mergeSyncCalls } = require('./merging/sync-calls')
const { toProcess } = require('./processes')

/** @import { AnswerKind } from './answers' */
/** @import { Member } from './members' */

/**
 * @typedef {object} Part  what one process answered
 * @property {Member} member
 * @property {any} answer
 * @property {any} loop  where that is asked as well; null: it did not answer
 *
 * @typedef {object} GroupAnswerRow
 * @property {string} path  of the route of one process
 * @property {AnswerKind} kind  of its answer
 * @property {boolean} withLoop  its loop is asked as well
 * @property {(parts: Part[], members: readonly Member[]) => object} merge
 */

/** @satisfies {Readonly<Record<string, GroupAnswerRow>>} */
const GROUP_ANSWERS = Object.freeze({
  overview: { path: '/stalls?limit=1', kind: 'stalls', withLoop: true, merge: mergeOverview },
  findings: { path: '/findings', kind: 'findings', withLoop: true, merge: mergeFindings },
  stalls: { path: '/stalls', kind: 'stalls', withLoop: false, merge: mergeStalls },
  'sync-calls': { path: '/sync-calls', kind: 'syncCalls', withLoop: false, merge: mergeSyncCalls },
  'slow-requests': { path: '/slow-requests', kind: 'slowRequests', withLoop: false, merge: mergeSlowRequests }
})

/**
 * @param {keyof typeof GROUP_ANSWERS} name
 * @param {{ name: string, members: readonly Member[] }} group
 * @param {import('./ask-group').GroupQuestion} [question]
 * @returns {Promise<any>}
 */
async function askForGroupAnswer (name, group, question) {
  const { path, kind, withLoop, merge } = GROUP_ANSWERS[name]
  const [answers, loops] = await Promise.all([
    askGroup(group.members, path, { ...question, maxBytes: ANSWERS[kind].maxBytes }),
    withLoop ? askGroup(group.members, '/loop', { ...question, maxBytes: ANSWERS.loop.maxBytes }) : []
  ])
  /** @type {Part[]} */
  const parts = []
  const processes = answers.map((answer, index) => {
    const { value, problem } = readAnswer(answer, kind)
    const loop = loops[index]?.problem === null ? readAnswer(loops[index], 'loop') : { value: null, problem: null }
    if (problem !== null || loop.problem !== null) return toProcess({ ...answer, problem: problem ?? loop.problem })
    parts.push({ member: answer.member, answer: value, loop: loop.value })
    return toProcess(answer, value.isStale === true)
  })
  const complete = processes.every(({ problem }) => problem === null)
  return { group: group.name, at: Date.now(), processes, complete, ...merge(parts, group.members) }
}

module.exports = { askForGroupAnswer }
