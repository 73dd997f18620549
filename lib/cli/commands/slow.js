'use strict'

const { answerOf, GROUP_OPTION } = require('../connect/group')
const { ANSWER_OPTIONS } = require('../connect/connect')
const { PID_COLUMN, WIDE_COLUMNS, showDuration, timeColumn } = require('../output/display')
const { localTime } = require('../../base/local-time')
const { printable } = require('../../base/printable')
const { describeCause, describeStep } = require('../../shared/requests/describe')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'slow',
  help: 'show the slowest requests of each route, and why: their own code, the code of other requests, or waiting',
  options: {
    steps: { type: 'boolean', meaning: 'of each request what happened in which order: its code, that of others, each wait' },
    group: GROUP_OPTION,
    ...ANSWER_OPTIONS
  },
  examples: ['loopscope slow 1234', 'loopscope slow 1234 --steps', 'loopscope slow --group api', 'loopscope slow http://127.0.0.1:6060'],
  run
}

/**
 * On a narrow terminal one line for each request; what its time consists of only where there is room.
 * @param {number} width  of the terminal
 * @returns {import('../output/table').Column[]}
 */
const columnsFor = width => [
  timeColumn(width),
  { title: 'TOOK', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  { title: 'ROUTE', isCutLast: true, cell: ({ route }) => route },
  ...(width < WIDE_COLUMNS ? [] : FIGURE_COLUMNS),
  { title: 'CAUSE', endsWithLocation: true, cell: describeCause }
]

/** @type {import('../output/table').Column[]} */
const FIGURE_COLUMNS = [
  { title: 'OWN', isNumber: true, cell: ({ ownMs }) => showDuration(ownMs) },
  { title: 'BEHIND', isNumber: true, cell: ({ behindMs }) => showDuration(behindMs) },
  { title: 'GC', isNumber: true, cell: ({ gcMs }) => showDuration(gcMs) },
  { title: 'WAITING', isNumber: true, cell: ({ waitingMs }) => showDuration(waitingMs) },
  { title: 'TRACE', isWhole: true, cell: ({ traceId }) => traceId ?? '-' }
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
  const { answer, coverage } = await answerOf('slow-requests', invocation)
  if (values.json) return terminal.json(answer)
  const { group, requests, isStale } = answer
  if (coverage !== null) terminal.line(`group ${group}: ${coverage}`)
  if (isStale) terminal.note('the event loop is blocked: these are the last known requests')
  if (requests.length === 0) return terminal.line('no slow requests')
  terminal.table([...(coverage === null ? [] : [PID_COLUMN]), ...columnsFor(terminal.tableColumns())], requests)
  if (!values.steps) return
  for (const request of requests) {
    terminal.line('')
    terminal.line(printable(`${localTime(request.at)} ${request.route}: ${showDuration(request.durationMs)}`))
    terminal.table(STEP_COLUMNS, request.steps)
  }
}
