'use strict'

const { answerOf, GROUP_OPTION } = require('../connect/group')
const { ANSWER_OPTIONS } = require('../connect/connect')
const { PID_COLUMN, WIDE_COLUMNS, showDuration, timeColumn } = require('../output/display')
const { localTime } = require('../../base/local-time')
const { printable } = require('../../base/printable')
const { describeCause, describeStep, foldSimultaneous } = require('../../shared/requests/describe')

/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'slow',
  help: 'show the slowest requests of each route, and why: their own code, the code of other requests, or waiting',
  options: {
    all: { type: 'boolean', meaning: 'also requests of a route that were slow at the same time, each in a line of its own' },
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
 * @param {boolean} hasOthers  of some there were more at the same time
 * @returns {import('../output/table').Column[]}
 */
const columnsFor = (width, hasOthers) => [
  timeColumn(width),
  { title: 'TOOK', isNumber: true, cell: ({ durationMs }) => showDuration(durationMs) },
  ...(hasOthers ? [OTHERS_COLUMN] : []),
  { title: 'ROUTE', isCutLast: true, cell: ({ route }) => route },
  ...(width < WIDE_COLUMNS ? [] : FIGURE_COLUMNS),
  { title: 'CAUSE', endsWithLocation: true, cell: describeCause }
]

/** @type {import('../output/table').Column} */
const OTHERS_COLUMN = { title: 'MORE', isNumber: true, cell: ({ others }) => others.length === 0 ? '' : `+${others.length}` }

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
  const shown = values.all ? requests.map((/** @type {SlowRequest} */ request) => ({ ...request, others: [] })) : foldSimultaneous(requests)
  const hasOthers = shown.some((/** @type {{ others: SlowRequest[] }} */ { others }) => others.length > 0)
  terminal.table([...(coverage === null ? [] : [PID_COLUMN]), ...columnsFor(terminal.tableColumns(), hasOthers)], shown)
  if (hasOthers) terminal.note('MORE: of the same route at the same time; --all lists them')
  if (!values.steps) return
  for (const request of shown) {
    terminal.line('')
    terminal.line(printable(`${localTime(request.at)} ${request.route}: ${showDuration(request.durationMs)}`))
    terminal.table(STEP_COLUMNS, request.steps)
  }
}
