'use strict'

const { answerOf, GROUP_OPTION } = require('../connect/group')
const { ANSWER_OPTIONS } = require('../connect/connect')
const { showDuration, showLocation, showShare } = require('../output/display')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'sync',
  help: 'show synchronous calls that block the event loop, by call site, and what to call instead',
  options: { group: GROUP_OPTION, ...ANSWER_OPTIONS },
  examples: ['loopscope sync 1234', 'loopscope sync --group api'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'CALL', isWhole: true, cell: ({ api, flagged }) => `${flagged ? '! ' : '  '}${api}` },
  { title: 'TIME', isNumber: true, cell: ({ ms }) => showDuration(ms) },
  { title: 'MEASURED', isWhole: true, cell: ({ measured }) => measured },
  { title: 'WHERE', endsWithLocation: true, cell: ({ callSite }) => showLocation(callSite) },
  { title: 'ROUTES', cell: ({ routes }) => routes.map((/** @type {any} */ { route }) => route ?? 'no known route').join(', ') },
  { title: 'FIX', isWrapped: true, cell: ({ advice }) => advice.instead }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const { answer: known, coverage } = await answerOf('sync-calls', invocation)
  if (values.json) return terminal.json(known)
  if (coverage !== null) terminal.line(`group ${known.group}: ${coverage}`)
  const { sampled, exact, pool } = known
  const rows = [
    ...(exact ?? []).map((/** @type {any} */ call) => ({ ...call, ms: call.totalMs, measured: showCalls(call) })),
    ...sampled.map((/** @type {any} */ call) => ({ ...call, measured: `sampled ${showShare(call.share, 1)}` }))
  ].sort((left, right) => right.flagged - left.flagged || right.ms - left.ms)
  if (exact === null) terminal.note('sampled only; the option syncCalls counts every call')
  if (pool?.queued > 0) {
    const longest = showDuration(pool.maxWaitMs)
    terminal.line(`libuv's thread pool: tasks queued ${pool.queued === 1 ? 'once' : `${pool.queued} times`}, for up to ${longest}; see UV_THREADPOOL_SIZE`)
  }
  if (rows.length === 0) return terminal.line('no notable synchronous calls')
  terminal.table(coverage === null ? COLUMNS : [PROCESSES_COLUMN, ...COLUMNS], rows)
  if (rows.some(isEstimate)) terminal.note('±: an estimate with its standard error; the totals by API are exact, see --json')
}

/** @type {import('../output/table').Column} */
const PROCESSES_COLUMN = { title: 'PROCESSES', isNumber: true, cell: ({ pids }) => String(pids.length) }

/** @param {{ standardError?: { calls: number } }} row */
function isEstimate ({ standardError }) {
  return standardError !== undefined && standardError.calls > 0
}

/** @param {{ calls: number, standardError: { calls: number } }} call */
function showCalls ({ calls, standardError }) {
  const unit = calls === 1 ? 'call' : 'calls'
  return standardError.calls === 0 ? `${calls} ${unit}` : `${calls} ± ${standardError.calls} ${unit}`
}
