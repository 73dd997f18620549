'use strict'

const { GROUP_OPTION, groupAnswer } = require('../reach/group')
const { showOverview } = require('../group/show-overview')
const { JSON_OPTION, askAll } = require('../reach/reach')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { WIDE_OPTION, tableLines } = require('../output/table')
const { localTime } = require('../../shared/base/local-time')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'list',
  usage: '',
  help: 'processes of this user that can be reached',
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
  if (processes.length === 0) return terminal.note('none; `loopscope run -- node app.js` starts one')
  for (const line of tableLines([
    { title: 'PID', isNumber: true, cell: ({ pid }) => String(pid) },
    { title: 'NAME', cell: ({ appName }) => appName },
    ...(processes.some(({ group = null, appName }) => group !== null && group !== appName)
      ? [{ title: 'GROUP', cell: (/** @type {any} */ { group }) => group ?? '-' }]
      : []),
    { title: 'NODE', cell: ({ nodeVersion }) => nodeVersion },
    { title: 'STARTED', isWhole: true, cell: ({ startedAt }) => localTime(startedAt) },
    ...(processes.some(({ mark }) => mark) ? [{ title: 'LAST MARK', cell: (/** @type {any} */ { mark }) => mark?.text ?? '-' }] : []),
    { title: 'FOLDER', endsWithPlace: true, cell: ({ appRoot }) => appRoot }
  ], processes, terminal.columns())) terminal.line(line)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { values, terminal } = invocation
  const { answer, whole } = await groupAnswer('overview', invocation)
  if (values.json) return terminal.json(answer)
  showOverview(answer, whole, terminal)
}
