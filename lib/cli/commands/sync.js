'use strict'

const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { showDuration, showPlace } = require('../output/display')
const { WIDE_OPTION, tableLines } = require('../output/table')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'sync',
  usage: '<pid|url>',
  help: 'synchronous calls that hold the loop, by call site, and what to call instead',
  options: { group: GROUP_OPTION, json: JSON_OPTION, wide: WIDE_OPTION, ...OUTPUT_OPTIONS, ...CONNECT_OPTIONS },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope sync 1234', 'loopscope sync --group api'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'CALL', isWhole: true, cell: ({ api, flagged }) => `${flagged ? '! ' : '  '}${api}` },
  { title: 'TIME', isNumber: true, cell: ({ ms }) => showDuration(ms) },
  { title: 'SEEN', isWhole: true, cell: ({ seen }) => seen },
  { title: 'WHERE', endsWithPlace: true, cell: ({ callSite }) => showPlace(callSite) },
  { title: 'ROUTES', cell: ({ routes }) => routes.map((/** @type {any} */ { route }) => route ?? '-').join(' ') },
  { title: 'INSTEAD', isWhole: true, cell: ({ advice }) => advice.instead }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const { answer: known, whole } = values.group === undefined ? await askOne(invocation) : await groupAnswer('sync-calls', invocation)
  if (values.json) return terminal.json(known)
  if (whole !== null) terminal.line(`group ${known.group}: ${whole}`)
  const { sampled, exact, pool } = known
  const rows = [
    ...(exact ?? []).map((/** @type {any} */ call) => ({ ...call, ms: call.totalMs, seen: showCalls(call) })),
    ...sampled.map((/** @type {any} */ call) => ({ ...call, seen: `sampled ${(call.share * 100).toFixed(1)} %` }))
  ].sort((left, right) => right.flagged - left.flagged || right.ms - left.ms)
  if (exact === null) terminal.note('sampled only; option syncCalls counts every call')
  if (pool?.queued > 0) {
    const longest = showDuration(pool.maxWaitMs)
    terminal.line(`libuv's thread pool had tasks waiting ${pool.queued} times, up to ${longest}: see UV_THREADPOOL_SIZE`)
  }
  if (rows.length === 0) return terminal.line('no synchronous calls worth telling')
  for (const line of tableLines(whole === null ? COLUMNS : [PROCESSES_COLUMN, ...COLUMNS], rows, terminal.columns())) terminal.line(line)
  if (rows.some(isEstimate)) terminal.note('±: an estimate and its standard error; totals by API are exact, see --json')
}

/** @param {Invocation} invocation */
async function askOne (invocation) {
  return { answer: await connect(invocation).json('/sync-calls'), whole: null }
}

/** @type {import('../output/table').Column} */
const PROCESSES_COLUMN = { title: 'PROCESSES', isNumber: true, cell: ({ pids }) => String(pids.length) }

/** @param {{ standardError?: { calls: number } }} row */
function isEstimate ({ standardError }) {
  return standardError !== undefined && standardError.calls > 0
}

/** @param {{ calls: number, standardError: { calls: number } }} call */
function showCalls ({ calls, standardError }) {
  return standardError.calls === 0 ? `${calls} calls` : `${calls} ± ${standardError.calls} calls`
}
