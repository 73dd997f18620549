'use strict'

const { answerOf, GROUP_OPTION } = require('../connect/group')
const { ANSWER_OPTIONS } = require('../connect/connect')
const { PID_COLUMN, showCause, showCulprit, showDuration, timeColumn } = require('../output/display')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'stalls',
  help: 'show the last stalls: how long, why, on which route, in which line',
  options: {
    traces: { type: 'boolean', meaning: 'show the trace id of each stall' },
    group: GROUP_OPTION,
    ...ANSWER_OPTIONS
  },
  examples: ['loopscope stalls 1234', 'loopscope stalls --group api', 'loopscope stalls http://127.0.0.1:6060'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const { answer, coverage } = await answerOf('stalls', invocation)
  if (values.json) return terminal.json(answer)
  const { group, blocked, current, blockedMs, stalls, totals } = answer
  const isGroup = coverage !== null
  if (isGroup) {
    terminal.line(`group ${group}: ${coverage}`)
    for (const { pid, blockedMs } of blocked) {
      const ofIt = current.find((/** @type {any} */ stall) => stall.pid === pid) ?? null
      terminal.line(terminal.paint('red', `${pid} is blocked now, for ${showDuration(blockedMs)}${placeOf(ofIt)}`))
    }
  } else if (blockedMs > 0) {
    terminal.line(terminal.paint('red', `blocked now, for ${showDuration(blockedMs)}${placeOf(current)}`))
  }
  if (stalls.length === 0) return terminal.line('no stalls')
  const count = totals.count === 1 ? '1 stall' : `${totals.count} stalls`
  terminal.line(`${count} since ${isGroup ? 'these processes' : 'the process'} started, ${showDuration(totals.blockedMs)} in total`)
  const columns = [
    ...(isGroup ? [PID_COLUMN] : []),
    timeColumn(terminal.tableColumns()),
    ...STALL_COLUMNS,
    ...(values.traces ? [TRACE_COLUMN] : []),
    CULPRIT_COLUMN
  ]
  terminal.table(columns, stalls)
}

/** @param {any} current  the stall in progress */
function placeOf (current) {
  return current === null ? '' : `: ${current.route ?? 'outside requests'}, ${showCulprit(current)}`
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
