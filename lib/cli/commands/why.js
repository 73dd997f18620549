'use strict'

const { OUTPUT_OPTIONS } = require('../output/destination')
const { WIDE_OPTION } = require('../output/table')
const { JSON_OPTION, CONNECT_OPTIONS, askAll, connect } = require('../connect/connect')
const { Failure } = require('../failure')
const { GROUP_OPTION, groupAnswer } = require('../connect/group')
const { showAll, showFindings } = require('../output/findings')
const { groupHeadline, titled, toGroupMarkdown, toMarkdown } = require('../../shared/findings/show')

/** @import { Findings } from '../../../types/findings' */
/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'why',
  usage: '[pid|name|url]',
  help: 'show what is wrong with a process, in which line, and what to change; the pid can be omitted if you have only one process',
  options: {
    json: JSON_OPTION,
    markdown: { type: 'boolean', short: 'm', meaning: 'print Markdown, for an issue or an assistant' },
    group: GROUP_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  examples: ['loopscope why 1234', 'loopscope why --group api', 'loopscope why --markdown > why.md'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: [target], values, terminal } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  const answer = target === undefined && values.socket === undefined ? await askOnlyProcess(invocation) : await connect(invocation).json('/findings', { kind: 'findings' })
  if (answer === null) return
  if (values.json) return terminal.json(answer)
  if (values.markdown) return terminal.text(toMarkdown(answer))
  showFindings(answer, terminal)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { values, terminal } = invocation
  const { answer, coverage } = await groupAnswer('findings', invocation)
  if (values.json) return terminal.json(answer)
  if (values.markdown) return terminal.text(toGroupMarkdown(answer, coverage))
  showFindings(titled(answer), terminal, groupHeadline(answer, coverage))
}

/**
 * Without a pid: the findings of the only process; where there are several, prints the first finding of each.
 * @param {Invocation} invocation
 * @returns {Promise<Findings | null>} null: everything is printed
 */
async function askOnlyProcess ({ values, env, terminal, signal }) {
  const answers = await askAll('/findings', 'findings', { env, terminal, signal })
  if (answers.length === 0) {
    throw new Failure('notInstrumented', 'None of your processes can be reached.', 'Start one with `loopscope run -- node app.js`, or pass a URL.')
  }
  if (answers.length === 1) return answers[0]
  if (values.json) terminal.json(answers)
  else if (values.markdown) terminal.text(answers.map(answer => toMarkdown(answer)).join('\n'))
  else showAll(answers, terminal)
  return null
}
