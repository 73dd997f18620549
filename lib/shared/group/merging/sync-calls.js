'use strict'

// The synchronous calls of all processes of a group: what several make at the same place is one row. Pure.

const { sumBy } = require('./sum-by')

/** @import { Part } from '../group-answers' */
/** @import { ExactSyncCall, SampledSyncCall } from '../../../../types/diagnostics' */
/** @import { GroupSyncCalls } from '../../../../types/group' */

/** @typedef {SampledSyncCall & { pid: number }} Sampled */
/** @typedef {ExactSyncCall & { pid: number }} Exact */

/**
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
    totals: isCounted ? sumBy(rowsOf('totals').map(({ pid, ...row }) => row), ({ api }) => api, ['calls', 'totalMs']) : null,
    exact: isCounted ? bySite(rowsOf('exact')).map(sumExact).sort((left, right) => right.totalMs - left.totalMs) : null,
    pool: { queued: sum(pools, 'queued'), maxWaitMs: Math.max(0, ...pools.map(({ maxWaitMs }) => maxWaitMs)) }
  }
}

/** @param {any[]} rows */
function bySite (rows) {
  /** @type {Map<string, any[]>} */
  const sites = new Map()
  for (const row of rows) {
    const { function: name, file, line, column } = row.callSite
    const key = JSON.stringify([row.api, name, file, line, column])
    sites.set(key, [...(sites.get(key) ?? []), row])
  }
  return [...sites.values()]
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
    ms: sum(rows, 'ms'),
    share: sum(rows, 'share') / processes,
    routes: sumBy(rows.flatMap(({ routes }) => routes), ({ route }) => route, ['ms']),
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
    calls: sum(rows, 'calls'),
    totalMs: sum(rows, 'totalMs'),
    standardError: { calls: Math.round(error('calls')), totalMs: error('totalMs') },
    maxMs: Math.max(...rows.map(({ maxMs }) => maxMs)),
    routes: sumBy(rows.flatMap(({ routes }) => routes), ({ route }) => route, ['calls', 'ms']),
    flagged: rows.some(({ flagged }) => flagged)
  }
}

/**
 * @param {any[]} rows
 * @param {string} figure
 * @returns {number}
 */
function sum (rows, figure) {
  return rows.reduce((total, row) => total + row[figure], 0)
}

module.exports = { mergeSyncCalls }
