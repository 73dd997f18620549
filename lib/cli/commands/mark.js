'use strict'

const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { localTime } = require('../../base/local-time')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'mark',
  usage: '<pid|name|url> [<text>]',
  help: 'set a mark at this moment, for charts, captures and `diff --mark`; without a text, list the marks',
  options: ANSWER_OPTIONS,
  positionals: { min: 0, max: 2 },
  examples: ["loopscope mark 1234 'deploy 42'", 'loopscope mark 1234'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals, values, terminal } = invocation
  const [text] = positionals.slice(values.socket === undefined ? 1 : 0)
  if (text === undefined) return list(invocation)
  const mark = await connect(invocation).json('/marks', { method: 'POST', body: { text } })
  if (values.json) return terminal.json(mark)
  terminal.note(`marked: ${mark.text}, at ${localTime(mark.at)}`)
}

/** @param {Invocation} invocation */
async function list (invocation) {
  const { values, terminal } = invocation
  const { marks } = await connect(invocation).json('/marks')
  if (values.json) return terminal.json(marks)
  if (marks.length === 0) return terminal.line('no marks')
  terminal.table([
    { title: 'TIME', isWhole: true, cell: ({ at }) => localTime(at) },
    { title: 'MARK', cell: mark => mark.text }
  ], marks)
}
