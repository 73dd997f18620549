'use strict'

const { BENCH_OPTIONS, readSettings } = require('../bench/settings')
const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination, printInto } = require('../output/destination')
const { JSON_OPTION } = require('../reach/reach')

/** @import { Command, Invocation } from '../commands' */

/** Of what changed, by the name of the file. */
const FORMATS = Object.freeze({ text: { extension: 'txt' }, json: { extension: 'json' }, page: { extension: 'html' } })

const FOR_COMPARE = Object.freeze({
  compare: /** @type {const} */ ({ type: 'boolean', meaning: 'of two files of this command: what changed' }),
  json: { ...JSON_OPTION, meaning: 'with --compare: print the data as JSON' },
  ...OUTPUT_OPTIONS,
  output: { ...OUTPUT_OPTIONS.output, meaning: 'file to write, or a folder; - is standard output (default bench-<time>.json, with --compare -)' }
})

/** @type {Command} */
module.exports = {
  name: 'bench',
  usage: '-- <command> [arguments]',
  help: 'loads a program and saves what it did; --compare <before> <after> tells what changed',
  makesFile: true,
  options: { ...BENCH_OPTIONS, ...FOR_COMPARE },
  positionals: { min: 1, max: Infinity },
  examples: [
    'loopscope bench --url /login -o before.json -- node app.js',
    "loopscope bench -u /login -m POST -H 'content-type: application/json' -b '{\"name\":\"x\"}' -o after.json -- npm start",
    'loopscope bench --compare before.json after.json -o change.html'
  ],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  return invocation.values.compare ? compare(invocation) : measure(invocation)
}

/**
 * A minute of measuring is not lost because no file was named: it gets a name by itself.
 * @param {Invocation} invocation
 */
async function measure ({ positionals: command, values, ...surroundings }) {
  const { terminal, signal } = surroundings
  if (values.json) throw new Failure('usage', '--json goes with --compare only: the file is JSON.')
  const settings = readSettings(values)
  const name = nameOf('bench', 'json')
  const output = values.output ?? (terminal.outputFile().endsWith('.json') ? '-' : name)
  const destination = openDestination({ values: { ...values, output }, terminal, signal }, { name })
  const autocannon = await require('../bench/autocannon').provideAutocannon(surroundings)
  const processors = require('../bench/processors').chooseProcessors(settings.isPinned)
  const measured = await require('../bench/measure').measure({ command, settings, autocannon, processors, surroundings })
  const { encodeBench, toBench } = require('../bench/result-file')
  const bench = toBench(measured)
  if (destination.file !== null) require('../bench/report/text').showBench(bench, terminal)
  await destination.write(encodeBench(bench))
}

/** @param {Invocation} invocation */
async function compare (invocation) {
  const { positionals: files, values } = invocation
  const foreign = Object.keys(values).find(option => !Object.hasOwn(FOR_COMPARE, option))
  if (foreign !== undefined) throw new Failure('usage', `--${foreign} does not go with --compare.`)
  if (files.length !== 2) throw new Failure('usage', `--compare takes two files, before and after, got ${files.length}.`)
  const format = values.json ? 'json' : chooseFormat(FORMATS, invocation, 'page')
  const { readBench } = require('../bench/result-file')
  const [before, after] = files.map(file => ({ file, bench: readBench(file) }))
  const comparison = require('../bench/compare').compareBenches(before, after)
  if (format === 'page') {
    const destination = openDestination(invocation, { name: nameOf('change', 'html') })
    return destination.write(require('../bench/report/page').renderComparison(comparison))
  }
  const { showComparison } = require('../bench/report/text')
  return printInto(invocation, {
    name: 'change',
    print: ({ terminal }) => format === 'json' ? terminal.json(comparison) : showComparison(comparison, terminal)
  })
}
