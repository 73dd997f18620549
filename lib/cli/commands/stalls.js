'use strict'

const { JSON_OPTION, REACH_OPTIONS, reach } = require('../reach/reach')
const { tableLines } = require('../output/table')
const { showCulprit, showDuration, showTime } = require('../output/display')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'stalls',
  usage: '<pid|url>',
  help: 'the last stalls: how long, why, on which route, in which line',
  options: { ...REACH_OPTIONS, json: JSON_OPTION },
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
    const by = current === null ? '' : `: ${current.route ?? 'outside requests'}, ${showCulprit(current.culprit)}`
    terminal.line(terminal.paint('red', `blocked now, for ${showDuration(blockedMs)}${by}`))
  }
  if (stalls.length === 0) return terminal.line('no stalls')
  const count = totals.count === 1 ? '1 stall' : `${totals.count} stalls`
  terminal.line(`${count} since the process started, ${showDuration(totals.blockedMs)} in all`)
  for (const line of tableLines(STALL_COLUMNS, stalls, terminal.columns())) terminal.line(line)
}

/** @type {import('../output/table').Column[]} */
const STALL_COLUMNS = [
  { title: 'TIME (UTC)', cell: ({ at }) => showTime(at) },
  { title: 'LASTED', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'CAUSE', cell: ({ cause }) => cause },
  { title: 'ROUTE', cell: ({ route }) => route ?? '-' },
  { title: 'CULPRIT', cell: ({ culprit }) => showCulprit(culprit) }
]
