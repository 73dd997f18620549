'use strict'

// The table of requests to a group: which routes of each process answer them, and how the answers are merged. A process that is stopped, blocked or
// gone makes the answer incomplete, never an error.

const { Promise } = require('../../base/globals')
const { groupBy, sum } = require('../../base/sums')
const { mergeFindings } = require('../findings/merge-findings')
const { ANSWERS, readAnswer } = require('./answers')
const { askGroup } = require('./ask-group')
const { mergeWaits } = require('./merge-waits')
const { toProcess } = require('./processes')
const { MAX_STALLS } = require('../stalls/stall')

/** @import { ExactSyncCall, SampledSyncCall } from '../../../types/diagnostics' */
/** @import { GroupMemory, GroupOverview, GroupRequests, GroupSlowRequests, GroupStalls, GroupSyncCalls, StallTotals } from '../../../types/group' */
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
 *
 * @typedef {SampledSyncCall & { pid: number }} Sampled
 * @typedef {ExactSyncCall & { pid: number }} Exact
 */

/** @satisfies {Readonly<Record<string, GroupAnswerRow>>} */
const GROUP_ANSWERS = Object.freeze({
  overview: { path: '/stalls?limit=1', kind: 'stalls', withLoop: true, merge: mergeOverview },
  findings: { path: '/findings', kind: 'findings', withLoop: true, merge: mergeFindings },
  stalls: { path: '/stalls', kind: 'stalls', withLoop: false, merge: mergeStalls },
  memory: { path: '/memory', kind: 'memory', withLoop: false, merge: mergeMemory },
  'sync-calls': { path: '/sync-calls', kind: 'syncCalls', withLoop: false, merge: mergeSyncCalls },
  'slow-requests': { path: '/slow-requests', kind: 'slowRequests', withLoop: false, merge: mergeSlowRequests },
  requests: { path: '/requests', kind: 'requests', withLoop: false, merge: mergeRequests },
  waits: { path: '/waits', kind: 'waits', withLoop: false, merge: mergeWaits }
})

const MAX_REQUESTS = 200

/**
 * @param {keyof typeof GROUP_ANSWERS} name
 * @param {{ name: string, members: readonly Member[] }} group
 * @param {import('./ask-group').GroupQuestion & { query?: string }} [question]  query: of the route of each process, with its `?`
 * @returns {Promise<any>}
 */
async function askForGroupAnswer (name, group, { query = '', ...question } = {}) {
  const { path, kind, withLoop, merge } = GROUP_ANSWERS[name]
  const [answers, loops] = await Promise.all([
    askGroup(group.members, path + query, { ...question, maxBytes: ANSWERS[kind].maxBytes }),
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

/**
 * The processes of a group beside each other.
 * @param {readonly Part[]} parts
 * @param {readonly Member[]} members
 * @returns {Pick<GroupOverview, 'members'>}
 */
function mergeOverview (parts, members) {
  return {
    members: members.map(({ pid, id, appName, instance, startedAt }) => {
      const part = parts.find(({ member }) => member.id === id)
      const { answer, loop } = part ?? { answer: null, loop: null }
      return {
        pid,
        id,
        appName,
        instance,
        startedAt,
        up: part !== undefined,
        blockedMs: answer?.blockedMs ?? null,
        delay: loop?.delay ?? null,
        rssBytes: loop?.memory?.rssBytes ?? null,
        heapUsedBytes: loop?.memory?.heapUsedBytes ?? null,
        stalls: answer?.totals.count ?? null,
        stalledMs: answer?.totals.blockedMs ?? null
      }
    })
  }
}

/**
 * The memory of the processes beside each other, the largest first.
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupMemory, 'members'>}
 */
function mergeMemory (parts) {
  const members = parts.map(({ member: { pid }, answer: { rssBytes, owners, growing, container, isStale } }) => {
    /** @type {GroupMemory['members'][number]['owners']} */
    const rows = owners.map((/** @type {any} */ { owner, bytes }) => ({ owner, bytes }))
    return { pid, rssBytes, owners: sumFigures(rows, ({ owner }) => owner, ['bytes']), growing, container, isStale }
  })
  return { members: members.sort((left, right) => (right.rssBytes ?? 0) - (left.rssBytes ?? 0)) }
}

/**
 * The stalls of all processes, newest first, each with its process; totals added up.
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupStalls, 'stalls' | 'current' | 'blocked' | 'totals'>}
 */
function mergeStalls (parts) {
  const ofProcess = (/** @type {Part} */ { member: { pid } }) => (/** @type {any} */ stall) => ({ pid, ...stall })
  return {
    stalls: parts.flatMap(part => part.answer.stalls.map(ofProcess(part)))
      .sort((left, right) => right.at - left.at).slice(0, MAX_STALLS),
    current: parts.flatMap(part => part.answer.current === null ? [] : [ofProcess(part)(part.answer.current)])
      .sort((left, right) => right.durationMs - left.durationMs),
    blocked: blockedOf(parts),
    totals: sumTotals(parts.map(({ answer }) => answer.totals))
  }
}

/**
 * @param {readonly Part[]} parts
 * @returns {{ pid: number, blockedMs: number }[]} whose loops are stuck now, longest first
 */
function blockedOf (parts) {
  return parts.filter(({ answer }) => answer.blockedMs > 0)
    .map(({ member: { pid }, answer: { blockedMs } }) => ({ pid, blockedMs }))
    .sort((left, right) => right.blockedMs - left.blockedMs)
}

/** @param {readonly StallTotals[]} all @returns {StallTotals} */
function sumTotals (all) {
  return {
    count: sum(all, ({ count }) => count),
    blockedMs: sum(all, ({ blockedMs }) => blockedMs),
    byCause: sumFigures(all.flatMap(({ byCause }) => byCause), ({ cause }) => cause, ['count', 'ms']),
    byRoute: sumFigures(all.flatMap(({ byRoute }) => byRoute), ({ route }) => route, ['count', 'ms']).sort((left, right) => right.ms - left.ms)
  }
}

/**
 * The synchronous calls of all processes: what several make at the same place is one row.
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupSyncCalls, 'sampled' | 'totals' | 'exact' | 'pool'>}
 */
function mergeSyncCalls (parts) {
  const rowsOf = (/** @type {'sampled' | 'exact' | 'totals'} */ name) => parts.flatMap(({ member: { pid }, answer }) => {
    return (answer[name] ?? []).map((/** @type {any} */ row) => ({ ...row, pid }))
  })
  const isCounted = parts.some(({ answer }) => answer.exact !== null)
  const pools = parts.flatMap(({ answer }) => answer.pool ?? [])
  return {
    sampled: bySite(rowsOf('sampled')).map(rows => sumSampled(rows, parts.length)).sort((left, right) => right.ms - left.ms),
    totals: isCounted ? sumFigures(rowsOf('totals').map(({ pid, ...row }) => row), ({ api }) => api, ['calls', 'totalMs']) : null,
    exact: isCounted ? bySite(rowsOf('exact')).map(sumExact).sort((left, right) => right.totalMs - left.totalMs) : null,
    pool: { queued: sum(pools, row => row.queued), maxWaitMs: Math.max(0, ...pools.map(({ maxWaitMs }) => maxWaitMs)) }
  }
}

/** @param {any[]} rows */
function bySite (rows) {
  return [...groupBy(rows, ({ api, callSite: { function: name, file, line, column } }) => JSON.stringify([api, name, file, line, column])).values()]
}

/**
 * @param {Sampled[]} rows  of one site
 * @param {number} processes
 */
function sumSampled (rows, processes) {
  const [{ pid, ...first }] = rows
  return {
    ...first,
    pids: rows.map(row => row.pid),
    ms: sum(rows, row => row.ms),
    share: sum(rows, row => row.share) / processes,
    routes: sumFigures(rows.flatMap(({ routes }) => routes), ({ route }) => route, ['ms']),
    flagged: rows.some(({ flagged }) => flagged)
  }
}

/** @param {Exact[]} rows  of one site */
function sumExact (rows) {
  const [{ pid, ...first }] = rows
  const error = (/** @type {'calls' | 'totalMs'} */ name) => Math.hypot(...rows.map(({ standardError }) => standardError[name]))
  return {
    ...first,
    pids: rows.map(row => row.pid),
    calls: sum(rows, row => row.calls),
    totalMs: sum(rows, row => row.totalMs),
    standardError: { calls: Math.round(error('calls')), totalMs: error('totalMs') },
    maxMs: Math.max(...rows.map(({ maxMs }) => maxMs)),
    routes: sumFigures(rows.flatMap(({ routes }) => routes), ({ route }) => route, ['calls', 'ms']),
    flagged: rows.some(({ flagged }) => flagged)
  }
}

/**
 * The slow requests of all processes, the slowest first, each with its process.
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupSlowRequests, 'requests'>}
 */
function mergeSlowRequests (parts) {
  const all = parts.flatMap(({ member: { pid }, answer }) => answer.requests.map((/** @type {any} */ request) => ({ pid, ...request })))
  return { requests: all.sort((left, right) => right.durationMs - left.durationMs).slice(0, MAX_REQUESTS) }
}

/**
 * The requests under way of all processes, oldest first, each with its process.
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupRequests, 'members' | 'requests'>}
 */
function mergeRequests (parts) {
  const all = parts.flatMap(({ member: { pid }, answer }) => answer.requests.map((/** @type {any} */ request) => ({ pid, ...request })))
  return {
    members: parts.map(({ member: { pid }, answer: { requests, ...summary } }) => ({ pid, ...summary })),
    requests: all.sort((left, right) => right.ageMs - left.ageMs).slice(0, MAX_REQUESTS)
  }
}

/**
 * Rows that are about the same become one, whose figures are added up.
 * @template {object} Row
 * @param {readonly Row[]} rows
 * @param {(row: Row) => unknown} keyOf  what a row is about: plain data
 * @param {readonly (keyof Row)[]} figures
 * @returns {Row[]} in the order of their first
 */
function sumFigures (rows, keyOf, figures) {
  /** @type {Map<string, Row>} */
  const sums = new Map()
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row))
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...row })
    else for (const figure of figures) sum[figure] = /** @type {any} */ (Number(sum[figure]) + Number(row[figure]))
  }
  return [...sums.values()]
}

module.exports = { GROUP_ANSWERS, askForGroupAnswer, mergeMemory, mergeOverview, mergeRequests, mergeSlowRequests, mergeStalls, mergeSyncCalls }
