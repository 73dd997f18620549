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
  usage: '[pid|url]',
  help: 'what is wrong with a process, in which line, and what to change; without a pid the only one of yours',
  options: {
    json: JSON_OPTION,
    markdown: { type: 'boolean', short: 'm', meaning: 'print Markdown, for an issue or an assistant' },
    group: GROUP_OPTION,
    wide: WIDE_OPTION,
    ...OUTPUT_OPTIONS,
    ...CONNECT_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: ['loopscope why 1234', 'loopscope why --group api', 'loopscope why --markdown > why.md'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: [target], values, terminal } = invocation
  if (values.group !== undefined) return showGroup(invocation)
  const answer = target === undefined && values.socket === undefined ? await askTheOnly(invocation) : await connect(invocation).json('/findings')
  if (answer === null) return
  if (values.json) return terminal.json(answer)
  if (values.markdown) return terminal.text(toMarkdown(answer))
  showFindings(answer, terminal)
}

/** @param {Invocation} invocation */
async function showGroup (invocation) {
  const { values, terminal } = invocation
  const { answer, whole } = await groupAnswer('findings', invocation)
  if (values.json) return terminal.json(answer)
  if (values.markdown) return terminal.text(toGroupMarkdown(answer, whole))
  showFindings(titled(answer), terminal, groupHeadline(answer, whole))
}

/**
 * Where several run it is asked which is meant, and told what is to be told of each.
 * @param {Invocation} invocation
 * @returns {Promise<Findings | null>} null: everything was said
 */
async function askTheOnly ({ values, env, terminal, signal }) {
  const answers = await askAll('/findings', 'findings', { env, terminal, signal })
  if (answers.length === 0) {
    throw new Failure('notInstrumented', 'No process of yours can be reached.', 'Start one with `loopscope run -- node app.js`, or say its URL.')
  }
  if (answers.length === 1) return answers[0]
  if (values.json) terminal.json(answers)
  else if (values.markdown) terminal.text(answers.map(answer => toMarkdown(answer)).join('\n'))
  else showAll(answers, terminal)
  return null
}
