'use strict'

// The processes of a group beside each other, on a terminal.

const { showDuration } = require('../output/display')
const { tableLines } = require('../output/table')
const { localTime } = require('../../shared/base/local-time')
const { showBytes } = require('../../shared/base/sizes')

/** @import { GroupOverview } from '../../../types/group' */
/** @import { Terminal } from '../output/terminal' */

/** @typedef {GroupOverview['members'][number]} Row */

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'PID', isNumber: true, cell: ({ pid }) => String(pid) },
  { title: 'INSTANCE', isNumber: true, cell: ({ instance }) => instance ?? '-' },
  { title: 'STARTED', isWhole: true, cell: ({ startedAt }) => localTime(startedAt) },
  { title: 'UTIL', isNumber: true, cell: ({ delay }) => delay === null ? '-' : `${(delay.utilization * 100).toFixed(0)} %` },
  { title: 'DELAY P99', isNumber: true, cell: ({ delay }) => delay === null ? '-' : showDuration(delay.p99Ms) },
  { title: 'RSS', isNumber: true, cell: ({ rssBytes }) => rssBytes === null ? '-' : showBytes(rssBytes) },
  { title: 'STALLS', isNumber: true, cell: ({ stalls, stalledMs }) => stalls === null ? '-' : `${stalls} (${showDuration(stalledMs)})` },
  { title: 'STATE', cell: stateOf }
]

/**
 * @param {GroupOverview} overview
 * @param {string} whole
 * @param {Terminal} terminal
 */
function showOverview ({ group, members, processes }, whole, terminal) {
  const rows = members.map((member, index) => ({ ...member, problem: processes[index].problem }))
  terminal.line(`group ${group}: ${whole}`)
  for (const line of tableLines(COLUMNS, rows, terminal.columns())) terminal.line(line)
}

/** @param {Row & { problem: string | null }} row */
function stateOf ({ problem, blockedMs }) {
  if (problem !== null) return problem
  return Number(blockedMs) > 0 ? `BLOCKED for ${showDuration(Number(blockedMs))}` : 'turning'
}

module.exports = { showOverview }
