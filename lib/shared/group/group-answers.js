'use strict'

// The table of what a group can be asked: which routes of each process answer it, and how their answers become one. A process that is
// stopped, stuck or gone makes the answer incomplete, and never an error.

const { mergeFindings } = require('../findings/group/merge-findings')
const { askGroup } = require('./ask-group')
const { mergeOverview } = require('./merging/overview')
const { mergeSlowRequests } = require('./merging/slow-requests')
const { mergeStalls } = require('./merging/stalls')
const { mergeSyncCalls } = require('./merging/sync-calls')
const { toProcess } = require('./processes')
const { readAnswer } = require('./read-answer')

/** @import { Member } from './members' */

/**
 * @typedef {object} Part  what one process answered
 * @property {Member} member
 * @property {any} answer
 * @property {any} loop  where that is asked as well; null: it did not answer
 *
 * @typedef {object} GroupAnswerRow
 * @property {string} path  of the route of one process
 * @property {boolean} withLoop  its loop is asked as well
 * @property {(parts: Part[], members: readonly Member[]) => object} merge
 */

/** @satisfies {Readonly<Record<string, GroupAnswerRow>>} */
const GROUP_ANSWERS = Object.freeze({
  overview: { path: '/stalls?limit=1', withLoop: true, merge: mergeOverview },
  findings: { path: '/findings', withLoop: true, merge: mergeFindings },
  stalls: { path: '/stalls', withLoop: false, merge: mergeStalls },
  'sync-calls': { path: '/sync-calls', withLoop: false, merge: mergeSyncCalls },
  'slow-requests': { path: '/slow-requests', withLoop: false, merge: mergeSlowRequests }
})

/**
 * @param {keyof typeof GROUP_ANSWERS} name
 * @param {{ name: string, members: readonly Member[] }} group
 * @param {import('./ask-group').GroupQuestion} [question]
 * @returns {Promise<any>}
 */
async function askForGroupAnswer (name, group, question) {
  const { path, withLoop, merge } = GROUP_ANSWERS[name]
  const [answers, loops] = await Promise.all([
    askGroup(group.members, path, question),
    withLoop ? askGroup(group.members, '/loop', question) : []
  ])
  /** @type {Part[]} */
  const parts = []
  const processes = answers.map((answer, index) => {
    const read = readAnswer(answer)
    if (read === null) return toProcess({ ...answer, problem: answer.problem ?? 'its answer cannot be read' })
    parts.push({ member: answer.member, answer: read, loop: loops[index] === undefined ? null : readAnswer(loops[index]) })
    return toProcess(answer, read.isStale === true)
  })
  const complete = processes.every(({ problem }) => problem === null)
  return { group: group.name, at: Date.now(), processes, complete, ...merge(parts, group.members) }
}

module.exports = { askForGroupAnswer }
