'use strict'

const { OUTPUT_OPTIONS } = require('../output/destination')
const { PID_COLUMN, showDuration, showShare, timeColumn } = require('../output/display')
const { WIDE_OPTION } = require('../output/table')
const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { JSON_OPTION, askAll } = require('../connect/connect')
const { showBytes } = require('../../base/sizes')

/** @import { GroupOverview } from '../../../types/group' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'list',
  usage: '',
  help: "list this user's processes that can be reached",
  options: { group: GROUP_OPTION, json: JSON_OPTION, wide: WIDE_OPTION, ...OUTPUT_OPTIONS },
  positionals: { min: 0, max: 0 },
  examples: ['loopscope list', 'loopscope list --group api', 'loopscope list --json'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, terminal, env, signal } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  const processes = (await askAll('/', 'index', { env, terminal, signal })).map(({ facts }) => facts)
  if (values.json) return terminal.json(processes)
  if (processes.length === 0) return terminal.note('no processes; `loopscope run -- node app.js` starts one')
  terminal.table([
    PID_COLUMN,
    { title: 'NAME', cell: ({ appName }) => appName },
    ...(processes.some(({ group = null, appName }) => group !== null && group !== appName)
      ? [{ title: 'GROUP', cell: (/** @type {any} */ { group }) => group ?? '-' }]
      : []),
    { title: 'NODE', cell: ({ nodeVersion }) => nodeVersion },
    startedColumn(terminal.tableColumns()),
    ...(processes.some(({ mark }) => mark) ? [{ title: 'LAST MARK', cell: (/** @type {any} */ { mark }) => mark?.text ?? '-' }] : []),
    { title: 'FOLDER', isPath: true, cell: ({ appRoot }) => appRoot }
  ], processes)
}

/** @param {number} width @returns {import('../output/table').Column} */
function startedColumn (width) {
  const { cell, ...column } = timeColumn(width)
  return { ...column, title: 'STARTED', cell: ({ startedAt }) => cell({ at: startedAt }) }
}

/** @type {import('../output/table').Column} */
const INSTANCE_COLUMN = { title: 'INSTANCE', isNumber: true, cell: ({ instance }) => instance ?? '-' }

/** @type {import('../output/table').Column[]} */
const GROUP_COLUMNS = [
  { title: 'UTIL', isNumber: true, cell: ({ delay }) => delay === null ? '-' : showShare(delay.utilization) },
  { title: 'DELAY P99', isNumber: true, cell: ({ delay }) => delay === null ? '-' : showDuration(delay.p99Ms) },
  { title: 'RSS', isNumber: true, cell: ({ rssBytes }) => rssBytes === null ? '-' : showBytes(rssBytes) },
  { title: 'STALLS', isNumber: true, cell: ({ stalls, stalledMs }) => stalls === null ? '-' : `${stalls} (${showDuration(stalledMs)})` },
  { title: 'STATE', cell: stateOf }
]

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { values, terminal } = invocation
  /** @type {{ answer: GroupOverview, coverage: string }} */
  const { answer, coverage } = await groupAnswer('overview', invocation)
  if (values.json) return terminal.json(answer)
  const { group, members, processes } = answer
  const rows = members.map((member, index) => ({ ...member, problem: processes[index].problem }))
  terminal.line(`group ${group}: ${coverage}`)
  const started = startedColumn(terminal.tableColumns())
  const instances = members.some(({ instance }) => instance !== null) ? [INSTANCE_COLUMN] : []
  terminal.table([PID_COLUMN, ...instances, started, ...GROUP_COLUMNS], rows)
}

/** @param {GroupOverview['members'][number] & { problem: string | null }} row */
function stateOf ({ problem, blockedMs }) {
  if (problem !== null) return problem
  return Number(blockedMs) > 0 ? `BLOCKED for ${showDuration(Number(blockedMs))}` : 'OK'
}
