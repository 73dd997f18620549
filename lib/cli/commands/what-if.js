'use strict'

const { Failure } = require('../failure')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { WIDE_OPTION } = require('../output/table')
const { printable } = require('../../base/printable')
const { MAX_SCALE, toScale } = require('../../shared/check-what-if')
const { quantileText } = require('../../shared/findings/prediction-text')

/** @import { WhatIf } from '../../../types/what-if' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'what-if',
  usage: '<pid|name|url>',
  help: 'predict how long the requests of each route would take if one route did less on the event loop',
  options: {
    route: { type: 'string', meaning: "the route that changes, as in 'POST /login'" },
    scale: { type: 'string', meaning: 'what is left of its time on the loop: 0.25 is four times as fast (default 0: none of it)' },
    json: JSON_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: ["loopscope what-if 1234 --route 'POST /login'", "loopscope what-if 1234 --route 'POST /login' --scale 0.25"],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'ROUTE', cell: ({ route }) => route },
  { title: 'REQUESTS', isNumber: true, cell: ({ requests }) => String(requests) },
  { title: 'P50', cell: ({ p50Ms, reason }) => p50Ms === null ? reason : quantileText(p50Ms) },
  { title: 'P95', cell: ({ p95Ms }) => p95Ms === null ? '-' : quantileText(p95Ms) }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values: { route, scale = '0', json } } = invocation
  if (route === undefined) throw new Failure('usage', '--route is missing.', "Pass the route that changes, as in --route 'POST /login'.")
  if (!(toScale(scale) <= MAX_SCALE)) throw new Failure('usage', `--scale must be from 0 to ${MAX_SCALE}, got ${scale}.`)
  /** @type {WhatIf} */
  const answer = await connect(invocation).json(`/what-if?${new URLSearchParams({ route, scale })}`)
  if (json) return terminal.json(answer)
  const { prediction, isStale } = answer
  if (isStale) terminal.note('the event loop is blocked: the last requests are missing')
  const left = answer.scale === 0 ? 'nothing' : `${answer.scale} times the time`
  terminal.line(printable(`if ${answer.route} took ${left} on the event loop`))
  if (prediction.reason !== null) return terminal.line(printable(`no prediction: ${prediction.reason}`))
  terminal.table(COLUMNS, prediction.routes)
  if (prediction.maxSpeedUp !== null) terminal.line(`requests a second: at most ${prediction.maxSpeedUp} times`)
  terminal.note(`from a replay of ${prediction.requests} requests in ${prediction.seconds} s; clients: ${prediction.clients}`)
}
