'use strict'

const { createClient } = require('../reach/client')
const { listControlSockets } = require('../reach/control-sockets')
const { JSON_OPTION } = require('../reach/reach')
const { tableLines } = require('../output/table')
const { findTarget } = require('../reach/target')
const { showTime } = require('../output/display')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'list',
  usage: '',
  help: 'processes of this user that can be reached',
  options: { json: JSON_OPTION },
  positionals: { min: 0, max: 0 },
  examples: [],
  run
}

/** @param {Invocation} invocation */
async function run ({ values, terminal, env, signal }) {
  const { pids, problems } = listControlSockets(env)
  for (const problem of problems) terminal.note(`not looked into: ${problem}`)
  const found = await Promise.all(pids.map(async pid => {
    try {
      const { facts } = await createClient(findTarget(String(pid), {}, env), signal).json('/')
      return facts
    } catch {
      return null // it ended in between
    }
  }))
  const processes = found.filter(facts => facts !== null)
  if (values.json) return terminal.json(processes)
  if (processes.length === 0) return terminal.note('none; `loopscope run -- node app.js` starts one')
  for (const line of tableLines([
    { title: 'PID', isNumber: true, cell: ({ pid }) => String(pid) },
    { title: 'NAME', cell: ({ appName }) => appName },
    { title: 'NODE', cell: ({ nodeVersion }) => nodeVersion },
    { title: 'STARTED (UTC)', cell: ({ startedAt }) => showTime(startedAt) },
    { title: 'FOLDER', cell: ({ appRoot }) => appRoot }
  ], processes, terminal.columns())) terminal.line(line)
}
