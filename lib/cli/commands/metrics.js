'use strict'

const { GROUP_OPTION, reachGroup } = require('../reach/group')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { REACH_OPTIONS, reach } = require('../reach/reach')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'metrics',
  usage: '<pid|url>',
  help: 'the metrics, as Prometheus reads them',
  options: { group: GROUP_OPTION, ...OUTPUT_OPTIONS, ...REACH_OPTIONS },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope metrics 1234 | grep eventloop', 'loopscope metrics --group api'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const isGroup = invocation.values.group !== undefined
  const client = isGroup ? await reachGroup(invocation) : reach(invocation)
  invocation.terminal.text(await client.bytes(isGroup ? '/metrics?group=1' : '/metrics', { type: 'text/plain' }))
}
