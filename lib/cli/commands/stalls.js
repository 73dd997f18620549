'use strict'

const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { PID_COLUMN, showCause, showCulprit, showDuration, timeColumn } = require('../output/display')
const { WIDE_OPTION } = require('../output/table')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'stalls',
  usage: '<pid|name|url>',
  help: 'show the last stalls: how long, why, on which route, in which line',
  options: {
    traces: { type: 'boolean', meaning: 'show the trace id of each stall' },
    group: GROUP_OPTION,
    json: JSON_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope stalls 1234', 'loopscope stalls --group api', 'loopscope stalls http://127.0.0.1:6060'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  const known = await connect(invocation).json('/stalls')
  if (values.json) return terminal.json(known)
  const { current, blockedMs } = known
  if (blockedMs > 0) terminal.line(terminal.paint('red', `blocked now, for ${showDuration(blockedMs)}${placeOf(current)}`))
  showStalls(known, 'the process', invocation)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { terminal, values } = invocation
  const { answer, coverage } = await groupAnswer('stalls', invocation)
  if (values.json) return terminal.json(answer)
  terminal.line(`group ${answer.group}: ${coverage}`)
  for (const { pid, blockedMs } of answer.blocked) {
    const current = answer.current.find((/** @type {any} */ stall) => stall.pid === pid) ?? null
    terminal.line(terminal.paint('red', `${pid} is blocked now, for ${showDuration(blockedMs)}${placeOf(current)}`))
  }
  showStalls(answer, 'these processes', invocation)
}

/** @param {any} current  the stall in progress */
function placeOf (current) {
  return current === null ? '' : `: ${current.route ?? 'outside requests'}, ${showCulprit(current)}`
}

/**
 * @param {any} known
 * @param {string} subject  the process or processes
 * @param {Invocation} invocation
 */
function showStalls ({ stalls, totals }, subject, { terminal, values }) {
  if (stalls.length === 0) return terminal.line('no stalls')
  const count = totals.count === 1 ? '1 stall' : `${totals.count} stalls`
  terminal.line(`${count} since ${subject} started, ${showDuration(totals.blockedMs)} in total`)
  const columns = [
    ...(values.group === undefined ? [] : [PID_COLUMN]),
    timeColumn(terminal.tableColumns()),
    ...STALL_COLUMNS,
    ...(values.traces ? [TRACE_COLUMN] : []),
    CULPRIT_COLUMN
  ]
  terminal.table(columns, stalls)
}

/** @type {import('../output/table').Column[]} */
const STALL_COLUMNS = [
  { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'CAUSE', cell: showCause },
  { title: 'ROUTE', isCutLast: true, cell: ({ route }) => route ?? '-' }
]

/** @type {import('../output/table').Column} */
const CULPRIT_COLUMN = { title: 'CULPRIT', endsWithLocation: true, cell: showCulprit }

/** @type {import('../output/table').Column} */
const TRACE_COLUMN = { title: 'TRACE', isWhole: true, cell: ({ trace }) => trace?.traceId ?? '-' } // other versions of loopscope do not have this field
