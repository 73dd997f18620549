'use strict'

const { Failure } = require('../failure')
const { defaultName, writeOutput } = require('../output/output-file')
const { REACH_OPTIONS, reach } = require('../reach/reach')
const { FORMATS, SOURCES } = require('../../shared/formats/formats')

/** @import { Command, Invocation } from '../commands' */
/** @import { FormatName } from '../../../types/profile' */

const MAX_SECONDS = 300
const MAX_LAST_SECONDS = 600
const DEFAULT_LAST_SECONDS = 30
const DEFAULT_ATTACH_SECONDS = 10

/** @type {Command} */
module.exports = {
  name: 'profile',
  usage: '<pid|url>',
  help: 'a CPU profile: of the last 30 s, or of the seconds to come',
  options: {
    last: { type: 'string', meaning: 'look back so many seconds (default 30)' },
    seconds: { type: 'string', meaning: 'record the next so many seconds' },
    format: { type: 'string', short: 'f', meaning: `${Object.keys(FORMATS).join(', ')} (default text on a terminal, else cpuprofile)` },
    sources: { type: 'string', meaning: `code as it was written or as it runs: ${SOURCES.join(', ')} (default original for flamegraph, text)` },
    output: { type: 'string', short: 'o', meaning: 'file to write, - for standard output' },
    force: { type: 'boolean', meaning: 'write over a file that is there' },
    attach: { type: 'boolean', meaning: 'a process without loopscope: through Node\'s inspector, which is opened for it on 127.0.0.1' },
    ...REACH_OPTIONS
  },
  positionals: { min: 0, max: 1 },
  examples: [
    'loopscope profile 1234',
    'loopscope profile 1234 --seconds 10 --format flamegraph',
    'loopscope profile --attach 1234 --seconds 5'
  ],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { values, terminal } = invocation
  const format = formatOf(values, terminal)
  const { extension } = FORMATS[format]
  const bytes = values.attach ? await attach(invocation, format) : await ask(invocation, format)
  if (format === 'text' && values.output === undefined) return terminal.text(bytes)
  writeOutput(values.output ?? defaultName('cpu', extension), bytes, { force: values.force === true, terminal })
}

/**
 * @param {Record<string, any>} values
 * @param {Invocation['terminal']} terminal
 * @returns {FormatName}
 */
function formatOf ({ format, output }, terminal) {
  const chosen = format ?? (output === undefined && terminal.isOutputTerminal ? 'text' : 'cpuprofile')
  if (!Object.hasOwn(FORMATS, chosen)) {
    throw new Failure('usage', `${chosen} is not a format.`, `Known: ${Object.keys(FORMATS).join(', ')}.`)
  }
  return chosen
}

/**
 * @param {Invocation} invocation
 * @param {string} format
 */
async function ask (invocation, format) {
  const { values, terminal } = invocation
  const seconds = secondsOf('--seconds', values.seconds, MAX_SECONDS)
  const last = secondsOf('--last', values.last, MAX_LAST_SECONDS) ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : undefined)
  const client = reach(invocation)
  const query = new URLSearchParams({
    format,
    ...(values.sources !== undefined && { sources: values.sources }),
    ...(seconds !== undefined && { seconds: String(seconds) }),
    ...(last !== undefined && { last: String(last) })
  })
  const progress = terminal.progress(seconds === undefined ? `reading the last ${last} s` : `recording ${seconds} s`, seconds)
  try {
    return await client.bytes(`/cpu?${query}`)
  } finally {
    progress.end()
  }
}

/**
 * @param {Invocation} invocation
 * @param {FormatName} format
 */
async function attach ({ values, positionals: [pid], terminal, signal }, format) {
  if (!/^\d+$/.test(pid ?? '')) throw new Failure('usage', '--attach wants a pid.')
  if (values.last !== undefined) {
    throw new Failure('usage', 'A process without loopscope has no past to look at: --attach takes --seconds only.')
  }
  const seconds = secondsOf('--seconds', values.seconds, MAX_SECONDS) ?? DEFAULT_ATTACH_SECONDS
  const { profileByInspector } = require('../attach/attach')
  const profile = await profileByInspector(Number(pid), { seconds, terminal, signal })
  return FORMATS[format].encode(profile, { title: `CPU profile of pid ${pid}`, startedAt: Date.now() - seconds * 1e3 })
}

/**
 * @param {string} name
 * @param {string | undefined} text
 * @param {number} max
 */
function secondsOf (name, text, max) {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= max)) throw new Failure('usage', `${name} must be above 0 and at most ${max}, got ${text}.`)
  return seconds
}
