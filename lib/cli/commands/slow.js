'use strict'

const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { showDuration } = require('../output/display')
const { WIDE_OPTION, tableLines } = require('../output/table')
const { localTime } = require('../../base/local-time')
const { printable } = require('../output/text')
const { describeBehind, describeSlow, describeStep } = require('../../shared/describe-slow')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'slow',
  usage: '<pid|url>',
  help: 'show the slowest requests of each route, and why: their own code, the code of other requests, or waiting',
  options: { steps: { type: 'boolean', meaning: 'of each request what happened in which order: its code, that of others, each wait' }, group: GROUP_OPTION, json: JSON_OPTION, wide: WIDE_OPTION, ...OUTPUT_OPTIONS, ...CONNECT_OPTIONS },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope slow 1234', 'loopscope slow 1234 --steps', 'loopscope slow --group api', 'loopscope slow http://127.0.0.1:6060'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'ROUTE', cell: ({ route }) => route },
  { title: 'TOOK', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'OWN', isNumber: true, cell: ({ ownMs }) => showDuration(ownMs) },
  { title: 'BEHIND', isNumber: true, cell: ({ behindMs }) => showDuration(behindMs) },
  { title: 'BEHIND WHAT', endsWithLocation: true, cell: request => request.behind.length === 0 ? '-' : describeBehind(request) },
  { title: 'GC', isNumber: true, cell: ({ gcMs }) => showDuration(gcMs) },
  { title: 'WAITING', isNumber: true, cell: ({ waitingMs }) => showDuration(waitingMs) },
  { title: 'TIME', isWhole: true, cell: ({ at }) => localTime(at) },
  { title: 'TRACE', isWhole: true, cell: ({ traceId }) => traceId ?? '-' },
  { title: 'CAUSE', cell: describeSlow }
]

/** @type {import('../output/table').Column[]} */
const STEP_COLUMNS = [
  { title: 'AFTER', isNumber: true, cell: ({ atMs }) => showDuration(atMs) },
  { title: 'FOR', isNumber: true, cell: ({ ms }) => showDuration(ms) },
  { title: 'STEP', endsWithLocation: true, cell: describeStep }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  const known = await connect(invocation).json('/slow-requests')
  if (values.json) return terminal.json(known)
  const { requests, isStale } = known
  if (isStale) terminal.note('the event loop is blocked: these are the last known requests')
  if (requests.length === 0) return terminal.line('no slow requests')
  showRequests(COLUMNS, requests, invocation)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { terminal, values } = invocation
  const { answer, coverage } = await groupAnswer('slow-requests', invocation)
  if (values.json) return terminal.json(answer)
  terminal.line(`group ${answer.group}: ${coverage}`)
  if (answer.requests.length === 0) return terminal.line('no slow requests')
  const columns = [{ title: 'PID', isNumber: true, cell: (/** @type {any} */ { pid }) => String(pid) }, ...COLUMNS]
  showRequests(columns, answer.requests, invocation)
}

/**
 * @param {import('../output/table').Column[]} columns
 * @param {any[]} requests
 * @param {Invocation} invocation
 */
function showRequests (columns, requests, { terminal, values }) {
  for (const line of tableLines(columns, requests, terminal.columns())) terminal.line(line)
  if (!values.steps) return
  for (const request of requests) {
    terminal.line('')
    terminal.line(printable(`${localTime(request.at)} ${request.route}: ${showDuration(request.durationMs)}`))
    for (const line of tableLines(STEP_COLUMNS, request.steps, terminal.columns())) terminal.line(line)
  }
}
