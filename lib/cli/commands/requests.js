'use strict'

const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { PID_COLUMN, showDuration } = require('../output/display')
const { describeRoute, describeState } = require('../../shared/requests/describe')
const { describeCounts, describeRunning, describeStale } = require('../../shared/requests/summary')

/** @import { Command, Invocation } from '../commands' */
/** @import { GroupRequests } from '../../../types/group' */
/** @import { RequestsInFlight } from '../../../types/requests' */

/** @type {Command} */
module.exports = {
  name: 'requests',
  help: 'show the requests under way, oldest first: what each does or waits for, and behind which code',
  options: { group: GROUP_OPTION, ...ANSWER_OPTIONS },
  examples: ['loopscope requests 1234', 'loopscope requests --group api', 'loopscope requests http://127.0.0.1:6060'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'ROUTE', cell: describeRoute },
  { title: 'AGE', isNumber: true, cell: ({ ageMs }) => showDuration(ageMs) },
  { title: 'CLIENT', cell: ({ clientGone }) => clientGone ? 'gone' : '-' },
  { title: 'NOW', endsWithLocation: true, cell: request => describeState(request, request.where) }
]

/** @type {import('../output/table').Column} */
const TRACE_COLUMN = { title: 'TRACE', isWhole: true, cell: ({ traceId }) => traceId ?? '-' }

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  /** @type {RequestsInFlight} */
  const answer = await connect(invocation).json('/requests', { kind: 'requests' })
  if (values.json) return terminal.json(answer)
  const where = describeRunning(answer)
  for (const line of describeStale(answer)) terminal.note(line)
  terminal.line(describeCounts(answer, answer.requests.length))
  showRows(COLUMNS, answer.requests.map(request => ({ ...request, where })), invocation)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { terminal, values } = invocation
  /** @type {{ answer: GroupRequests, coverage: string }} */
  const { answer, coverage } = await groupAnswer('requests', invocation)
  if (values.json) return terminal.json(answer)
  const { group, members, requests } = answer
  terminal.line(`group ${group}: ${coverage}`)
  const wheres = new Map(members.map(member => [member.pid, describeRunning(member)]))
  for (const member of members) {
    for (const line of describeStale(member)) terminal.note(`${member.pid}: ${line}`)
    terminal.line(`${member.pid}: ${describeCounts(member, requests.filter(({ pid }) => pid === member.pid).length)}`)
  }
  showRows([PID_COLUMN, ...COLUMNS], requests.map(request => ({ ...request, where: wheres.get(request.pid) ?? '' })), invocation)
}

/** @param {import('../output/table').Column[]} columns @param {any[]} rows @param {Invocation} invocation */
function showRows (columns, rows, { terminal }) {
  if (rows.length === 0) return
  const shown = rows.some(({ traceId }) => traceId !== null) ? [...columns, TRACE_COLUMN] : columns
  terminal.table(shown, rows)
}
