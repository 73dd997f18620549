'use strict'

const { Failure } = require('../failure')
const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { closestName } = require('../../base/closest-name')
const { printable, wrapped } = require('../../base/printable')
const { MAX_SCALE, toScale } = require('../../shared/check-what-if')

/** @import { RoutePrediction, WhatIf } from '../../../types/what-if' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'what-if',
  help: 'predict how long the requests of each route would take if one route did less on the event loop',
  options: {
    route: { type: 'string', meaning: "the route that changes, as in 'POST /login'" },
    scale: { type: 'string', meaning: 'what is left of its time on the loop: 0.25 is four times as fast (default 0: none of it)' },
    ...ANSWER_OPTIONS
  },
  examples: ["loopscope what-if 1234 --route 'POST /login'", "loopscope what-if 1234 --route 'POST /login' --scale 0.25"],
  run
}

// Two rows for each route: in one, the figures of both quantiles would not fit 80 columns.
const QUANTILES = /** @type {const} */ (['p50', 'p95'])

/** @typedef {{ route: RoutePrediction, name: 'p50' | 'p95' }} Row */

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'ROUTE', cell: ({ route, name }) => name === 'p50' ? route.route : '' },
  { title: 'REQUESTS', isNumber: true, cell: ({ route, name }) => name === 'p50' ? String(route.requests) : '' },
  { title: '', cell: ({ name }) => name },
  { title: 'NOW', isNumber: true, cell: row => `${quantileOf(row).now} ms` },
  { title: 'EXPECTED', isNumber: true, cell: row => `${quantileOf(row).expected} ms` },
  { title: 'RANGE', isWhole: true, cell: row => `${quantileOf(row).low} to ${quantileOf(row).high} ms` }
]

/** @param {Row} row */
function quantileOf ({ route, name }) {
  return /** @type {import('../../../types/what-if').PredictedQuantile} */ (route[`${name}Ms`])
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values: { route, scale = '0', json } } = invocation
  if (route === undefined) throw new Failure('usage', '--route is missing.', "Pass the route that changes, as in --route 'POST /login'. `loopscope slow` shows the routes.")
  if (!(toScale(scale) <= MAX_SCALE)) throw new Failure('usage', `--scale must be from 0 to ${MAX_SCALE}, got ${scale}.`)
  /** @type {WhatIf} */
  const answer = await connect(invocation).json(`/what-if?${new URLSearchParams({ route, scale })}`)
  if (json) return terminal.json(answer)
  const { prediction, isStale } = answer
  const line = (/** @type {string} */ text) => { for (const part of wrapped(printable(text), terminal.columns(), '  ')) terminal.line(part) }
  if (isStale) terminal.note('the event loop is blocked: the last requests are missing')
  assertSeen(answer)
  const left = answer.scale === 0 ? 'nothing' : `${answer.scale} times the time`
  line(`if ${answer.route} took ${left} on the event loop`)
  if (prediction.reason !== null) return line(`no prediction: ${prediction.reason}`)
  const rows = prediction.routes.filter(({ reason }) => reason === null).flatMap(row => QUANTILES.map(name => ({ route: row, name })))
  terminal.table(COLUMNS, rows)
  for (const { route: other, reason } of prediction.routes) if (reason !== null) line(`${other}: no prediction: ${reason}`)
  if (prediction.maxSpeedUp !== null) terminal.line(`requests a second: at most ${prediction.maxSpeedUp} times`)
  terminal.note(`from a replay of ${prediction.requests} requests in ${prediction.seconds} s; clients: ${prediction.clients}`)
}

/** @param {WhatIf} answer @throws {Failure} where there are requests, but none of this route */
function assertSeen ({ route, measured }) {
  const routes = measured.map(row => row.route)
  if (routes.length === 0 || routes.includes(route)) return
  const meant = closestName(route, routes)
  throw new Failure('failed', printable(`No request of ${route} was seen in the last minute.${meant === undefined ? '' : ` Did you mean ${meant}?`}`), printable(`Routes: ${routes.join(', ')}.`))
}
