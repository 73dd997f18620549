'use strict'

const { Failure } = require('../failure')
const { writeOutput } = require('../output/output-file')
const { JSON_OPTION, REACH_OPTIONS, reach } = require('../reach/reach')
const { tableLines } = require('../output/table')
const { showTime } = require('../output/display')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'artifacts',
  usage: '<pid|url> [get|rm <name>]',
  help: 'files of an application in its store: list, fetch, remove',
  options: {
    output: { type: 'string', short: 'o', meaning: 'file to write, - for standard output (default: its own name)' },
    force: { type: 'boolean', meaning: 'write over a file that is there' },
    all: { type: 'boolean', meaning: 'list those of all applications of this user that share the directory' },
    ...REACH_OPTIONS,
    json: JSON_OPTION
  },
  positionals: { min: 0, max: 3 },
  examples: [
    'loopscope artifacts 1234',
    'loopscope artifacts 1234 --all',
    'loopscope artifacts 1234 get cpu-shop-20261121t041439331z-1234-0001.cpuprofile'
  ],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, positionals, terminal } = invocation
  const [verb, name] = positionals.slice(values.socket === undefined ? 1 : 0)
  const client = reach(invocation)
  if (values.all) return listAll(verb, await client.json('/artifacts?all=1'), invocation)
  if (verb === undefined) return list(await client.json('/artifacts'), invocation)
  if (name === undefined || !['get', 'rm'].includes(verb)) {
    throw new Failure('usage', `artifacts knows get <name> and rm <name>, got ${verb}.`)
  }
  const route = `/artifacts/${encodeURIComponent(name)}`
  if (verb === 'get') return writeOutput(values.output ?? name, await client.bytes(route), { force: values.force === true, terminal })
  await client.ask(route, { method: 'DELETE' })
  terminal.note(`removed: ${name}`)
}

/**
 * @param {{ artifacts: any[] }} known
 * @param {Invocation} invocation
 */
function list ({ artifacts }, { values, terminal }) {
  if (values.json) return terminal.json(artifacts)
  if (artifacts.length === 0) return terminal.line('no artifacts')
  for (const line of linesOf(artifacts)) terminal.line(line)
}

/**
 * By application, with the folder its files are in: for the same user they are files like others.
 * @param {string | undefined} verb
 * @param {{ applications: any[] }} known
 * @param {Invocation} invocation
 */
function listAll (verb, { applications }, { values, terminal }) {
  if (verb !== undefined) {
    const remedy = 'Take those of others from their folders, which --all shows.'
    throw new Failure('usage', '--all lists; get and rm know the files of one application.', remedy)
  }
  if (values.json) return terminal.json(applications)
  if (applications.length === 0) return terminal.line('no artifacts')
  for (const [at, { appName, appRoot, dir, artifacts }] of applications.entries()) {
    if (at > 0) terminal.line('')
    terminal.line(appName === null ? `of an earlier version of loopscope, in ${dir}` : `${appName} (${appRoot}), in ${dir}`)
    for (const line of linesOf(artifacts)) terminal.line(line)
  }
}

/** @param {any[]} artifacts */
function linesOf (artifacts) {
  return tableLines([
    { title: 'MADE (UTC)', cell: ({ at }) => showTime(at) },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'SIZE', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
    { title: 'NAME', cell: artifact => artifact.name }
  ], artifacts)
}
