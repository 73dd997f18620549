'use strict'

const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { localTime } = require('../../base/local-time')
const { describeCounts, describeLast, describeState, describeWhen } = require('../output/format-rule')

/** @import { RulesStatus } from '../../../types/rules' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'rules',
  help: 'show the rules of a process, the state of each, and what it did',
  options: ANSWER_OPTIONS,
  examples: ['loopscope rules 1234', 'loopscope rules http://127.0.0.1:6060'],
  run
}

/** @type {import('../output/table').Column[]} */
const COLUMNS = [
  { title: 'RULE', cell: ({ name }) => name },
  { title: 'WHEN', cell: describeWhen },
  { title: 'ACTIONS', cell: rule => rule.do.join(', ') },
  { title: 'STATE', cell: describeState },
  { title: 'COUNTS', cell: describeCounts },
  { title: 'LAST FIRED', isWhole: true, cell: ({ last }) => last === null ? '-' : localTime(last.at) },
  { title: 'RESULT', cell: ({ last }) => describeLast(last) }
]

/** @param {Invocation} invocation */
async function run (invocation) {
  const { terminal, values } = invocation
  /** @type {RulesStatus} */
  const known = await connect(invocation).json('/rules')
  if (values.json) return terminal.json(known)
  if (known.rules.length === 0) return terminal.line('no rules')
  if (known.dryRun) terminal.line('dry run: actions are logged, not performed')
  terminal.table(COLUMNS, known.rules)
}
