'use strict'

const { OUTPUT_OPTIONS } = require('../output/destination')
const { REACH_OPTIONS, reach } = require('../reach/reach')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'metrics',
  usage: '<pid|url>',
  help: 'the metrics, as Prometheus reads them',
  options: { ...OUTPUT_OPTIONS, ...REACH_OPTIONS },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope metrics 1234 | grep eventloop'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  invocation.terminal.text(await reach(invocation).bytes('/metrics', { type: 'text/plain' }))
}
