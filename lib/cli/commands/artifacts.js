'use strict'

const { Failure } = require('../failure')
const { writeOutput } = require('../output-file')
const { JSON_OPTION, REACH_OPTIONS, reach } = require('../reach')
const { tableLines } = require('../table')
const { showBytes, showTime } = require('../words')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'artifacts',
  usage: '<pid|url> [get|rm <name>]',
  help: 'files in the store: list, fetch, remove',
  options: {
    output: { type: 'string', short: 'o', meaning: 'file to write, - for standard output (default: its own name)' },
    force: { type: 'boolean', meaning: 'write over a file that is there' },
    ...REACH_OPTIONS,
    json: JSON_OPTION
  },
  positionals: { min: 0, max: 3 },
  examples: ['loopscope artifacts 1234', 'loopscope artifacts 1234 get cpu-shop-20261121t041439331z-1234-0001.cpuprofile'],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, positionals, terminal } = invocation
  const [verb, name] = positionals.slice(values.socket === undefined ? 1 : 0)
  const client = reach(invocation)
  if (verb === undefined) return list(await client.json('/artifacts'), invocation)
  if (name === undefined || !['get', 'rm'].includes(verb)) throw new Failure('usage', `artifacts knows get <name> and rm <name>, got ${verb}.`)
  if (verb === 'get') return writeOutput(values.output ?? name, await client.bytes(`/artifacts/${encodeURIComponent(name)}`), { force: values.force === true, terminal })
  await client.ask(`/artifacts/${encodeURIComponent(name)}`, { method: 'DELETE' })
  terminal.note(`removed: ${name}`)
}

/**
 * @param {{ artifacts: any[] }} known
 * @param {Invocation} invocation
 */
function list ({ artifacts }, { values, terminal }) {
  if (values.json) return terminal.json(artifacts)
  if (artifacts.length === 0) return terminal.line('no artifacts')
  for (const line of tableLines([
    { title: 'MADE (UTC)', cell: ({ at }) => showTime(at) },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'SIZE', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
    { title: 'NAME', cell: artifact => artifact.name }
  ], artifacts)) terminal.line(line)
}
