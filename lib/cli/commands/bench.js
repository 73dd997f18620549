'use strict'

const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination, printInto } = require('../output/destination')
const { JSON_OPTION } = require('../connect/connect')

/** @import { Command, CommandOption, Invocation } from '../commands' */

/** Options that are numbers: their range, default and meaning. */
const NUMBERS = Object.freeze({
  connections: { min: 1, max: 1000, fallback: 20, meaning: 'open connections' },
  // The recorder and the findings cover the last minute: a longer round would not be covered completely.
  seconds: { min: 1, max: 60, fallback: 10, meaning: 'seconds of load per round' },
  'warm-up': { min: 0, max: 60, fallback: 3, meaning: 'seconds of load before each round, which are not measured' },
  // With five rounds per side, the ranges of two equal programs do not overlap in one of 126 comparisons; with three, in one of ten.
  rounds: { min: 1, max: 20, fallback: 5, meaning: 'number of rounds, each in a new process' },
  start: { min: 1, max: 600, fallback: 30, meaning: 'seconds within which the application has to listen' },
  port: { min: 1, max: 65535, fallback: undefined, meaning: 'port of the application, where it listens on several' }
})

/** @type {Record<string, CommandOption>} */
const BENCH_OPTIONS = Object.freeze({
  url: { type: 'string', short: 'u', meaning: 'URL of the requests: a path (default /), or a complete URL' },
  method: { type: 'string', short: 'm', meaning: 'method of the requests (default GET)' },
  header: { type: 'string', short: 'H', multiple: true, meaning: "header of the requests, as in 'content-type: application/json'; can be repeated" },
  body: { type: 'string', short: 'b', meaning: 'body of the requests' },
  ...Object.fromEntries(Object.entries(NUMBERS).map(([name, { fallback, meaning }]) => {
    const option = /** @type {const} */ ({ type: 'string', meaning: fallback === undefined ? meaning : `${meaning} (default ${fallback})` })
    return [name, option]
  })),
  'no-pin': { type: 'boolean', meaning: 'do not pin the application and the load to separate CPUs' },
  quiet: { type: 'boolean', short: 'q', meaning: 'do not show the output of the application' }
})

/** Formats of a comparison, by file extension. */
const FORMATS = Object.freeze({ text: { extension: 'txt' }, json: { extension: 'json' }, page: { extension: 'html' } })

const FOR_COMPARE = Object.freeze({
  compare: /** @type {const} */ ({ type: 'boolean', meaning: 'compare two files that this command wrote' }),
  json: { ...JSON_OPTION, meaning: 'with --compare: print the data as JSON' },
  ...OUTPUT_OPTIONS,
  output: { ...OUTPUT_OPTIONS.output, meaning: 'file or folder to write to; - is standard output (default bench-<time>.json, with --compare -)' }
})

/**
 * The settings of a benchmark.
 * @typedef {object} Settings
 * @property {string} url  a path, or a complete URL
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
  help: 'measure a program under load and save the result; --compare <before> <after> shows what changed',
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

/** Without -o the file gets a default name, so that a measurement is never lost. @param {Invocation} invocation */
async function measure ({ positionals: command, values, ...surroundings }) {
  const { terminal, signal } = surroundings
  if (values.json) throw new Failure('usage', '--json needs --compare: the result file is JSON anyway.')
  const settings = readSettings(values)
  const name = nameOf('bench', 'json')
  const output = values.output ?? (terminal.outputFile().endsWith('.json') ? '-' : name)
  const destination = openDestination({ values: { ...values, output }, terminal, signal }, { name })
  const autocannon = await require('../bench/autocannon').provideAutocannon(surroundings)
  const processors = require('../bench/processors').chooseProcessors(settings.isPinned)
  const measured = await require('../bench/measure').measure({ command, settings, autocannon, processors, surroundings })
  const { encodeBench, toBench } = require('../bench/result-file')
  const bench = toBench(measured)
  if (destination.file !== null) require('../bench/format-text').showBench(bench, terminal)
  await destination.write(encodeBench(bench))
}

/**
 * Checks all settings before anything is started.
 * @param {Record<string, any>} values
 * @returns {Settings}
 * @throws {Failure} for an invalid setting
 */
function readSettings (values) {
  const { url = '/', method = 'GET', header: headers = [], body } = values
  if (!url.startsWith('/') && !isAbsoluteUrl(url)) {
    throw new Failure('usage', `--url must be a path that begins with /, or an http or https URL, got ${url}.`)
  }
  const invalid = headers.find((/** @type {string} */ header) => !/^[^\s:]+:/.test(header))
  if (invalid !== undefined) throw new Failure('usage', `--header must be a name, a colon and a value, got ${invalid}.`)
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
function isAbsoluteUrl (url) {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/** @param {keyof typeof NUMBERS} name @param {Record<string, any>} values @returns {number} */
function numberOf (name, { [name]: text }) {
  const { min, max, fallback } = NUMBERS[name]
  const number = text === undefined ? fallback : /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (number !== undefined && number >= min && number <= max) return number
  throw new Failure('usage', `--${name} must be an integer from ${min} to ${max}, got ${text}.`)
}

/** @param {Invocation} invocation */
async function compare (invocation) {
  const { positionals: files, values } = invocation
  const unsupported = Object.keys(values).find(option => !Object.hasOwn(FOR_COMPARE, option))
  if (unsupported !== undefined) throw new Failure('usage', `--${unsupported} cannot be used with --compare.`)
  if (files.length !== 2) throw new Failure('usage', `--compare takes two files, before and after, got ${files.length}.`)
  const format = values.json ? 'json' : chooseFormat(FORMATS, invocation, 'page')
  const { readBench } = require('../bench/result-file')
  const [before, after] = files.map(file => ({ file, bench: readBench(file) }))
  const comparison = require('../bench/compare').compareBenches(before, after)
  if (format === 'page') {
    const destination = openDestination(invocation, { name: nameOf('change', 'html') })
    return destination.write(require('../bench/page').renderComparison(comparison))
  }
  const { showComparison } = require('../bench/format-text')
  return printInto(invocation, {
    name: 'change',
    print: ({ terminal }) => format === 'json' ? terminal.json(comparison) : showComparison(comparison, terminal)
  })
}
