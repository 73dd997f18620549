'use strict'

const { Failure } = require('../failure')
const { openDestination, printInto } = require('../output/destination')
const { tableLines } = require('../output/table')
const { ANSWER_OPTIONS, connect } = require('../connect/connect')
const { localTime } = require('../../base/local-time')
const { showBytes } = require('../../base/sizes')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'artifacts',
  usage: '<pid|name|url> [get|rm <name>]',
  help: 'list, download or remove the files that an application has captured',
  options: {
    all: { type: 'boolean', meaning: 'list the files of all applications of this user that share the directory' },
    ...ANSWER_OPTIONS
  },
  positionals: { min: 0, max: 3 },
  examples: [
    'loopscope artifacts 1234',
    'loopscope artifacts 1234 --all',
    'loopscope artifacts 1234 get cpu-shop-20261121t041439331z-1234-0001.cpuprofile -o .'
  ],
  makesFile: true,
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, positionals, terminal } = invocation
  const [verb, name] = positionals.slice(values.socket === undefined ? 1 : 0)
  if (verb === undefined) return printInto(invocation, { name: 'artifacts', print: values.all ? listAll : list })
  if (values.all) {
    const remedy = 'The files of other applications are in the folders that --all shows.'
    throw new Failure('usage', '--all only lists files: get and rm are for the files of one application.', remedy)
  }
  if (name === undefined || !['get', 'rm'].includes(verb)) {
    throw new Failure('usage', `artifacts takes get <name> or rm <name>, got ${verb}.`)
  }
  const route = `/artifacts/${encodeURIComponent(name)}`
  if (verb === 'get') {
    const destination = openDestination(invocation, { name, isText: name.endsWith('.txt') })
    return connect(invocation).deliver(route, destination)
  }
  await connect(invocation).ask(route, { method: 'DELETE' })
  terminal.note(`removed: ${name}`)
}

/** @param {Invocation} invocation */
async function list (invocation) {
  const { values, terminal } = invocation
  const { artifacts } = await connect(invocation).json('/artifacts')
  if (values.json) return terminal.json(artifacts)
  if (artifacts.length === 0) return terminal.line('no artifacts')
  for (const line of linesOf(artifacts, terminal)) terminal.line(line)
}

/**
 * By application, with the folder of its files: the user can access them like any other file.
 * @param {Invocation} invocation
 */
async function listAll (invocation) {
  const { values, terminal } = invocation
  const { applications } = await connect(invocation).json('/artifacts?all=1')
  if (values.json) return terminal.json(applications)
  if (applications.length === 0) return terminal.line('no artifacts')
  for (const [at, { appName, appRoot, dir, artifacts }] of applications.entries()) {
    if (at > 0) terminal.line('')
    terminal.line(appName === null ? `(from an earlier version of loopscope), in ${dir}` : `${appName} (${appRoot}), in ${dir}`)
    for (const line of linesOf(artifacts, terminal)) terminal.line(line)
  }
}

/** @type {import('../output/table').Column} */
const MARK_COLUMN = { title: 'LAST MARK', cell: ({ marks = [] }) => marks.at(-1)?.text ?? '-' }

/** @param {any[]} artifacts @param {Invocation['terminal']} terminal */
function linesOf (artifacts, terminal) {
  return tableLines([
    { title: 'CREATED', isWhole: true, cell: ({ at }) => localTime(at) },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'SIZE', isNumber: true, cell: ({ bytes }) => showBytes(bytes) },
    ...(artifacts.some(({ marks = [] }) => marks.length > 0) ? [MARK_COLUMN] : []),
    { title: 'NAME', isWhole: true, cell: artifact => artifact.name }
  ], artifacts, terminal.tableColumns())
}
