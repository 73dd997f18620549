'use strict'

const { answerOf, GROUP_OPTION } = require('../connect/group')
const { ANSWER_OPTIONS, secondsOf } = require('../connect/connect')
const { showDuration, showLocation, showShare } = require('../output/display')
const { tableLines } = require('../output/table')
const { printable } = require('../../base/printable')
const { sum } = require('../../base/sums')
const { MAX_SECONDS } = require('../../shared/captures/kinds')
const { waitsQuestion } = require('../../shared/group/merge-waits')

/** @import { RouteWaits, SerialWaits, Waits } from '../../../types/waits' */
/** @import { Command, Invocation } from '../commands' */

const MAX_ROUTES = 10 // --json has all of them
const MAX_LINES = 10
const MIN_SHARE = 0.005
const MIN_MS = 2 // a request: less is the way through sockets and the loop, and no reason to look for a wait
const MIN_IN_ROW = 2

/** @type {Command} */
module.exports = {
  name: 'waits',
  help: 'show at which line of the code requests wait, and for what: a sample of the last minutes, or all in the next seconds',
  options: {
    seconds: { type: 'string', meaning: 'sample all requests for so many seconds from now on' },
    route: { type: 'string', meaning: "only one route, as in 'GET /orders/:id'" },
    group: GROUP_OPTION,
    ...ANSWER_OPTIONS
  },
  examples: ['loopscope waits 1234', 'loopscope waits --group shop --seconds 10', "loopscope waits 1234 --seconds 10 --route 'GET /orders/:id'"],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'SHARE', isNumber: true, cell: ({ share }) => showShare(share, share < 0.0995 ? 1 : 0) },
  { title: 'P50', isNumber: true, cell: ({ p50Ms }) => showDuration(p50Ms) },
  { title: 'P99', isNumber: true, cell: ({ p99Ms }) => showDuration(p99Ms) },
  { title: 'WAITS', isNumber: true, cell: ({ waits, requests }) => waits === requests ? '1' : `${Math.round(waits / requests * 10) / 10}` },
  { title: 'WHERE', endsWithLocation: true, cell: line => showLocation(line) },
  { title: 'AWAITED', cell: describeAwaited }
]

/** @param {Record<string, any>} line */
function describeAwaited ({ awaited, via, resumedBy, calledAt, longest, together }) {
  if (awaited === null) return resumedBy == null ? '-' : `until ${showLocation(resumedBy)}`
  const called = [via, calledAt && showLocation(calledAt)].filter(Boolean)
  const most = longest == null ? called.join(', ') : showLocation(longest)
  const times = together >= 2 ? `${together} × ` : ''
  return times + (most === '' ? awaited : `${awaited} (${most})`)
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  const seconds = secondsOf('--seconds', values.seconds, MAX_SECONDS)
  const question = waitsQuestion({ seconds, route: values.route })
  const progress = terminal.progress(seconds === undefined ? 'reading' : `sampling ${seconds} s`, seconds)
  const { answer: known, coverage } = await answerOf('waits', invocation, question).finally(() => progress.end())
  if (values.json) return terminal.json(known)
  /** @type {Pick<Waits, 'routes' | 'sampled' | 'seen' | 'seesCallbacks'>} */
  const { routes, sampled, seen, seesCallbacks } = known
  if (coverage !== null) terminal.line(`group ${known.group}: ${coverage}`)
  if (known.isStale) terminal.note('the event loop is blocked: the last requests are missing')
  if (seen !== null && seen > sampled) terminal.note(`${sampled} of ${seen} requests were sampled, as many as the budget allows`)
  if (seconds !== undefined && !seesCallbacks) terminal.note('waits of callbacks are only seen from Node.js 24 on')
  if (routes.length === 0) {
    const of = values.route === undefined ? '' : ` of ${values.route}`
    return terminal.line(printable(seconds === undefined ? `no request${of} was sampled yet; pass --seconds 10 to sample all` : `no request${of} began meanwhile; those under way before: loopscope requests`))
  }
  const shown = routes.slice(0, MAX_ROUTES).map(route => routeLines(route, terminal.tableColumns()))
  shown.forEach((lines, index) => {
    if (index > 0 && (lines.length > 1 || shown[index - 1].length > 1)) terminal.line('')
    for (const line of lines) terminal.line(line)
  })
  if (routes.length > MAX_ROUTES) terminal.note(`${routes.length - MAX_ROUTES} more routes: see --json, or pass --route`)
}

/** @param {RouteWaits} route @param {number | undefined} width @returns {string[]} */
function routeLines ({ route, requests, open, truncated, totalMs, waitingMs, unseenMs, clientMs, uploadMs, lines, serial }, width) {
  const shown = lines.filter(({ share }) => share >= MIN_SHARE).slice(0, MAX_LINES)
  const notes = [
    ...(open === 0 ? [] : [`${open} of them not answered, or not yet`]),
    ...(truncated === 0 ? [] : [`${truncated} of them not followed to the end: they wait too often`])
  ]
  const queuedMs = sum(lines, line => line.queuedMs)
  const isNotable = (/** @type {number} */ ms) => ms >= totalMs * MIN_SHARE && ms >= requests * MIN_MS
  const waiting = waitingMs >= requests * MIN_MS ? `, ${percent(waitingMs, totalMs)} waiting` : shown.length === 0 ? ', hardly any waiting' : ''
  return [
    printable(`${route}: ${requests} ${requests === 1 ? 'request' : 'requests'} of ${showDuration(totalMs / requests)}${waiting}`),
    ...notes.map(note => `  ${note}`),
    ...(shown.length === 0 ? [] : tableLines(COLUMNS, shown, width)),
    ...(!isNotable(queuedMs) ? [] : [`  ${percent(queuedMs, totalMs)} in line for the event loop, which was busy with other code`]),
    ...(!isNotable(unseenMs) ? [] : [`  ${percent(unseenMs, totalMs)} waiting where no await of the application was seen`]),
    ...(!isNotable(uploadMs) ? [] : [`  ${percent(uploadMs, totalMs)} waiting for a client that had not sent all of its request`]),
    ...(!isNotable(clientMs) ? [] : [`  ${percent(clientMs, totalMs)} waiting for a client that had not read what was sent`]),
    ...serial.filter(({ awaits, ms }) => awaits >= MIN_IN_ROW && ms >= totalMs * MIN_SHARE).slice(0, 1).map(describeSerial)
  ]
}

/** @param {SerialWaits} serial */
function describeSerial (serial) {
  const { awaits, maxAwaits, ms, requests } = serial
  const most = maxAwaits > awaits ? `, up to ${maxAwaits}` : ''
  return printable(`  ${showLocation(serial)}: ${awaits} awaits in a row${most}, ${showDuration(ms / requests)} a request`)
}

/** @param {number} ms @param {number} allMs */
function percent (ms, allMs) {
  return showShare(allMs === 0 ? 0 : ms / allMs)
}
