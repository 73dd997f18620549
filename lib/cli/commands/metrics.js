'use strict'

const { GROUP_OPTION, connectToGroup } = require('../connect/group')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { CONNECT_OPTIONS, connect } = require('../connect/connect')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'metrics',
  help: 'print the metrics in the format of Prometheus',
  options: { group: GROUP_OPTION, ...OUTPUT_OPTIONS, ...CONNECT_OPTIONS },
  examples: ['loopscope metrics 1234 | grep eventloop', 'loopscope metrics --group api'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const isGroup = invocation.values.group !== undefined
  const client = isGroup ? await connectToGroup(invocation) : connect(invocation)
  invocation.terminal.text(await client.bytes(isGroup ? '/metrics?group=1' : '/metrics', { type: 'text/plain' }))
}
