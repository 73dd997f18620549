'use strict'

// The command line: finds the command, reads its options, runs it, and turns what goes wrong into a sentence and an exit code.

const { setMaxListeners } = require('node:events')
const { parseArgs } = require('node:util')
const { version } = require('../../package.json')
const { COMMANDS } = require('./commands')
const { Failure, EXIT_CODES } = require('./failure')
const { helpOf, overview } = require('./help')
const { createTerminal } = require('./output/terminal')

/** @import { Command, Invocation } from './commands' */

/**
 * @param {string[]} argv  without node and script
 * @param {{ env: NodeJS.ProcessEnv, terminal?: import('./output/terminal').Terminal }} surroundings
 * @returns {Promise<number>} the exit code; it never rejects
 */
async function main (argv, { env, terminal = createTerminal({ env }) }) {
  const interrupted = new AbortController()
  setMaxListeners(Infinity, interrupted.signal) // each request under way listens
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await dispatch(argv, { env, terminal, signal: interrupted.signal }) ?? EXIT_CODES.ok
  } catch (error) {
    return explain(error, terminal, interrupted.signal)
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/**
 * @param {string[]} argv
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 */
async function dispatch ([name, ...rest], surroundings) {
  const { terminal } = surroundings
  if (name === '--version' || name === '-v') return terminal.line(version)
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return showHelp(rest[0], terminal)
  const command = COMMANDS.find(one => one.name === name)
  if (command === undefined) {
    throw new Failure('usage', `${name} is not a command.`, `Known: ${COMMANDS.map(one => one.name).join(', ')}. See \`loopscope help\`.`)
  }
  const { values, positionals } = readArguments(command, rest)
  if (values.help) return terminal.line(helpOf(command))
  return command.run({ ...surroundings, values, positionals })
}

/**
 * @param {Command} command
 * @param {string[]} args
 */
function readArguments (command, args) {
  const options = { ...command.options, help: { type: /** @type {const} */ ('boolean'), short: 'h' } }
  try {
    // What follows `--` belongs to the program that is to be run.
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    const { min, max } = command.positionals
    if (!values.help && (positionals.length < min || positionals.length > max)) {
      const wanted = command.usage || 'no arguments'
      const message = `${command.name} takes ${wanted}, got ${positionals.length} of them.`
      throw new Failure('usage', message, `See \`loopscope ${command.name} --help\`.`)
    }
    return { values: /** @type {Record<string, any>} */ (values), positionals }
  } catch (/** @type {any} */ error) {
    if (error instanceof Failure) throw error
    const known = Object.keys(options).map(option => `--${option}`).join(', ')
    throw new Failure('usage', `${command.name}: ${error.message.split('. ')[0]}.`, `Known: ${known}.`)
  }
}

/**
 * @param {string | undefined} name
 * @param {import('./output/terminal').Terminal} terminal
 */
function showHelp (name, terminal) {
  const command = COMMANDS.find(one => one.name === name)
  terminal.line(command === undefined ? overview(COMMANDS) : helpOf(command))
}

/**
 * @param {any} error
 * @param {import('./output/terminal').Terminal} terminal
 * @param {AbortSignal} signal
 */
function explain (error, terminal, signal) {
  if (signal.aborted) {
    terminal.note('Interrupted.')
    return EXIT_CODES.interrupted
  }
  // A coded error of a part is a sentence for the user, as a Failure is; anything else is a fault, whose stack helps to mend it.
  const isExpected = error instanceof Failure || String(error?.code).startsWith('ERR_LOOPSCOPE_')
  terminal.note(`loopscope: ${isExpected ? error.message : error?.stack ?? error}`)
  return error?.exitCode ?? EXIT_CODES.failed
}

module.exports = { main }
