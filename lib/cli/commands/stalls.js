'use strict'

const { JSON_OPTION, REACH_OPTIONS, reach } = require('../reach/reach')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { showCause, showCulprit, showDuration } = require('../output/display')
const { WIDE_OPTION, tableLines } = require('../output/table')
const { localTime } = require('../../shared/base/local-time')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'stalls',
  usage: '<pid|url>',
  help: 'the last stalls: how long, why, on which route, in which line',
  options: {
    traces: { type: 'boolean', meaning: 'with the id of the trace of each' },
    json: JSON_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    ...REACH_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope stalls 1234', 'loopscope stalls http://127.0.0.1:6060'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const known = await reach(invocation).json('/stalls')
  if (values.json) return terminal.json(known)
  const { stalls, current, totals, blockedMs } = known
  if (blockedMs > 0) {
    const by = current === null ? '' : `: ${current.route ?? 'outside requests'}, ${showCulprit(current)}`
    terminal.line(terminal.paint('red', `blocked now, for ${showDuration(blockedMs)}${by}`))
  }
  if (stalls.length === 0) return terminal.line('no stalls')
  const count = totals.count === 1 ? '1 stall' : `${totals.count} stalls`
  terminal.line(`${count} since the process started, ${showDuration(totals.blockedMs)} in all`)
  const columns = values.traces ? [...STALL_COLUMNS.slice(0, -1), TRACE_COLUMN, ...STALL_COLUMNS.slice(-1)] : STALL_COLUMNS
  for (const line of tableLines(columns, stalls, terminal.columns())) terminal.line(line)
}

/** @type {import('../output/table').Column[]} */
const STALL_COLUMNS = [
  { title: 'TIME', isWhole: true, cell: ({ at }) => localTime(at) },
  { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'CAUSE', cell: showCause },
  { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
  { title: 'CULPRIT', endsWithPlace: true, cell: showCulprit }
]

/** @type {import('../output/table').Column} */
const TRACE_COLUMN = { title: 'TRACE', isWhole: true, cell: ({ trace }) => trace?.traceId ?? '-' } // a process of another version has no such field
