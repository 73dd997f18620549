'use strict'

const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination, printInto } = require('../output/destination')
const { JSON_OPTION } = require('../connect/connect')

/** @import { Command, CommandOption, Invocation } from '../commands' */

/** Each: the least, the most, and the usual. */
const NUMBERS = Object.freeze({
  connections: { min: 1, max: 1000, usual: 20, meaning: 'kept open' },
  // The recorder and the findings hold the last minute: of a longer round a part would be missing.
  seconds: { min: 1, max: 60, usual: 10, meaning: 'of load in a round' },
  'warm-up': { min: 0, max: 60, usual: 3, meaning: 'seconds of load before, which are not counted' },
  // Of five rounds a side the ranges of two equal programs lie apart once in 126 comparisons; of three once in ten.
  rounds: { min: 1, max: 20, usual: 5, meaning: 'each with a process of its own' },
  start: { min: 1, max: 600, usual: 30, meaning: 'seconds that the application may take until it listens' },
  port: { min: 1, max: 65535, usual: undefined, meaning: 'of the application, where it listens on several' }
})

/** @type {Record<string, CommandOption>} */
const BENCH_OPTIONS = Object.freeze({
  url: { type: 'string', short: 'u', meaning: 'what to ask for: a path (default /), or a whole URL' },
  method: { type: 'string', short: 'm', meaning: 'of the requests (default GET)' },
  header: { type: 'string', short: 'H', multiple: true, meaning: "of the requests, as in 'content-type: application/json'; may be given several times" },
  body: { type: 'string', short: 'b', meaning: 'of the requests' },
  ...Object.fromEntries(Object.entries(NUMBERS).map(([name, { usual, meaning }]) => {
    const option = /** @type {const} */ ({ type: 'string', meaning: usual === undefined ? meaning : `${meaning} (default ${usual})` })
    return [name, option]
  })),
  'no-pin': { type: 'boolean', meaning: 'do not keep the application and the load on processors of their own' },
  quiet: { type: 'boolean', short: 'q', meaning: 'do not show what the application writes' }
})

/** Of what changed, by the name of the file. */
const FORMATS = Object.freeze({ text: { extension: 'txt' }, json: { extension: 'json' }, page: { extension: 'html' } })

const FOR_COMPARE = Object.freeze({
  compare: /** @type {const} */ ({ type: 'boolean', meaning: 'of two files of this command: what changed' }),
  json: { ...JSON_OPTION, meaning: 'with --compare: print the data as JSON' },
  ...OUTPUT_OPTIONS,
  output: { ...OUTPUT_OPTIONS.output, meaning: 'file to write, or a folder; - is standard output (default bench-<time>.json, with --compare -)' }
})

/**
 * What a benchmark is to do.
 * @typedef {object} Settings
 * @property {string} url  a path, or a whole URL
 * @property {string} method
 * @property {string[]} headers  `Name: value`
 * @property {string | undefined} body
 * @property {number} connections
 * @property {number} seconds
 * @property {number} warmUpSeconds
 * @property {number} rounds
 * @property {number} startSeconds
 * @property {number | undefined} port
 * @property {boolean} isPinned
 * @property {boolean} isQuiet
 */

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
  if (destination.file !== null) require('../bench/text').showBench(bench, terminal)
  await destination.write(encodeBench(bench))
}

/**
 * Each number in its bounds, before anything is started.
 * @param {Record<string, any>} values
 * @returns {Settings}
 * @throws {Failure} for what is out of bounds
 */
function readSettings (values) {
  const { url = '/', method = 'GET', header: headers = [], body } = values
  if (!url.startsWith('/') && !isWhole(url)) {
    throw new Failure('usage', `--url must be a path that begins with /, or a URL of http or https, got ${url}.`)
  }
  const wrong = headers.find((/** @type {string} */ header) => !/^[^\s:]+:/.test(header))
  if (wrong !== undefined) throw new Failure('usage', `--header must be a name, a colon and a value, got ${wrong}.`)
  return {
    url,
    method: method.toUpperCase(),
    headers,
    body,
    connections: numberOf('connections', values),
    seconds: numberOf('seconds', values),
    warmUpSeconds: numberOf('warm-up', values),
    rounds: numberOf('rounds', values),
    startSeconds: numberOf('start', values),
    port: values.port === undefined ? undefined : numberOf('port', values),
    isPinned: values['no-pin'] !== true,
    isQuiet: values.quiet === true
  }
}

/** @param {string} url */
function isWhole (url) {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/**
 * @param {keyof typeof NUMBERS} name
 * @param {Record<string, any>} values
 * @returns {number}
 */
function numberOf (name, { [name]: text }) {
  const { min, max, usual } = NUMBERS[name]
  const number = text === undefined ? usual : /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (number !== undefined && number >= min && number <= max) return number
  throw new Failure('usage', `--${name} must be an integer from ${min} to ${max}, got ${text}.`)
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
    return destination.write(require('../bench/page').renderComparison(comparison))
  }
  const { showComparison } = require('../bench/text')
  return printInto(invocation, {
    name: 'change',
    print: ({ terminal }) => format === 'json' ? terminal.json(comparison) : showComparison(comparison, terminal)
  })
}
