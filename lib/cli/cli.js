'use strict'

// The command line: finds the command, parses its options, runs it or prints its help, and turns errors into a message and an exit code.

const { setMaxListeners } = require('node:events')
const { parseArgs } = require('node:util')
const { COMMANDS } = require('./commands')
const { EXIT_CODES, Failure } = require('./failure')
const { closestName } = require('../base/closest-name')
const { printInto } = require('./output/destination')
const { showAll } = require('./output/findings')
const { createTerminal } = require('./output/terminal')
const { wrapped } = require('../base/printable')
const { askAll } = require('./connect/connect')
const { version } = require('../../package.json')

/** @import { ListedCommand, Surroundings } from './commands' */

const ENDING = /** @type {const} */ (['SIGINT', 'SIGTERM'])
const HELP_INDENT = '      ' // of the description below the name of a command
const OPTION_WIDTH = 24

/**
 * @param {string[]} argv  without node and script
 * @param {{ env: NodeJS.ProcessEnv, terminal?: import('./output/terminal').Terminal }} surroundings
 * @returns {Promise<number>} the exit code; it never rejects
 */
async function main (argv, { env, terminal = createTerminal({ env }) }) {
  const interrupted = new AbortController()
  setMaxListeners(Infinity, interrupted.signal) // each pending request listens
  const interrupt = () => interrupted.abort()
  // Without a handler the system ends a command immediately, even while it reads a long file or waits for standard input.
  const isCancelled = COMMANDS.find(({ name }) => name === argv[0])?.readsFiles !== true
  if (isCancelled) for (const signal of ENDING) process.once(signal, interrupt)
  try {
    return await runCommand(argv, { env, terminal, signal: interrupted.signal })
  } finally {
    for (const signal of ENDING) process.off(signal, interrupt)
  }
}

/**
 * One command, without a handler of signals.
 * @param {string[]} argv
 * @param {Surroundings} surroundings
 * @returns {Promise<number>} the exit code; it never rejects
 */
async function runCommand (argv, surroundings) {
  try {
    return await dispatch(argv, surroundings) ?? EXIT_CODES.ok
  } catch (error) {
    return explain(error, surroundings.terminal, surroundings.signal)
  }
}

/** @param {string[]} argv @param {Surroundings} surroundings */
async function dispatch ([name, ...rest], surroundings) {
  const { terminal } = surroundings
  if (name === '--version' || name === '-v') return terminal.line(version)
  if (name === undefined) return showProcesses(surroundings)
  if (name === 'help' || name === '--help' || name === '-h') return showHelp(rest[0], terminal)
  const command = commandOf(name)
  const { values, positionals } = readArguments(command, rest)
  if (values.help) return terminal.line(helpOf(command, terminal.columns()))
  const invocation = { ...surroundings, commands: COMMANDS, terminal: terminal.changed({ isWide: values.wide === true }), values, positionals, runCommand }
  return command.makesFile ? command.run(invocation) : printInto(invocation, { name: command.name, print: command.run })
}

/**
 * This user's processes with the first finding of each; the help where there are none.
 * @param {Surroundings} surroundings
 */
async function showProcesses (surroundings) {
  const { terminal } = surroundings
  const answers = await askAll('/findings', 'findings', surroundings)
  if (answers.length === 0) return terminal.line(overview(COMMANDS, terminal.columns()))
  showAll(answers, terminal)
  terminal.note('`loopscope help` lists all commands')
}

/** @param {string} name */
function commandOf (name) {
  const command = COMMANDS.find(one => one.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map(one => one.name)
  throw new Failure('usage', `${name} is not a command.${didYouMean(name, names)}`, `Commands: ${names.join(', ')}. See \`loopscope help\`.`)
}

/** @param {ListedCommand} command @param {string[]} args */
function readArguments (command, args) {
  const options = { ...command.options, help: { type: /** @type {const} */ ('boolean'), short: 'h' } }
  try {
    // Everything after `--` belongs to the program to run.
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    const { min, max } = command.positionals
    if (!values.help && (positionals.length < min || positionals.length > max)) {
      const expected = command.usage || 'no arguments'
      const message = `${command.name} takes ${expected}, got ${positionals.length} ${positionals.length === 1 ? 'argument' : 'arguments'}.`
      throw new Failure('usage', message, `See \`loopscope ${command.name} --help\`.`)
    }
    return { values: /** @type {Record<string, any>} */ (values), positionals }
  } catch (/** @type {any} */ error) {
    if (error instanceof Failure) throw error
    const names = Object.keys(options).map(option => `--${option}`)
    const [, unknown = ''] = /^Unknown option '(--[^'=]+)/.exec(error.message) ?? []
    throw new Failure('usage', `${command.name}: ${error.message.split('. ')[0]}.${unknown && didYouMean(unknown, names)}`, `Options: ${names.join(', ')}.`)
  }
}

/** @param {string} typed @param {string[]} names */
function didYouMean (typed, names) {
  const name = closestName(typed, names)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** @param {string | undefined} name @param {import('./output/terminal').Terminal} terminal */
function showHelp (name, terminal) {
  const width = terminal.columns()
  terminal.line(name === undefined ? overview(COMMANDS, width) : helpOf(commandOf(name), width))
}

/** @param {readonly ListedCommand[]} commands @param {number} width */
function overview (commands, width) {
  return [
    'loopscope <command>: why the event loop of a running Node.js process was late',
    '',
    ...commands.flatMap(({ name, usage, help }) => [`  ${name} ${usage}`.trimEnd(), ...wrapped(HELP_INDENT + help, width, HELP_INDENT)]),
    '',
    ...wrapped('A pid, or the name of an application, is reached over the control socket of the process, also while its event loop is blocked. A URL is the address of an admin surface; its ' +
      'token comes from --token-file, LOOPSCOPE_TOKEN or --token (which other users of this host can see in the list of processes).', width),
    '`loopscope help <command>` lists the options of a command.'
  ].join('\n')
}

/** @param {ListedCommand} command @param {number} width */
function helpOf ({ name, usage, help, options, examples }, width) {
  const rows = Object.entries(options).flatMap(([option, { type, short, meaning }]) => {
    const flag = `${short ? `-${short}, ` : ''}--${option}${type === 'string' ? ' <value>' : ''}`
    const before = `  ${flag.padEnd(OPTION_WIDTH)}  `
    return wrapped(before + meaning, width, ' '.repeat(OPTION_WIDTH + 4), before.length)
  })
  const optionLines = rows.length > 0 ? [...rows, ''] : []
  return [`loopscope ${name} ${usage}`, '', ...wrapped(help, width), '', ...optionLines, ...examples.map(example => `  ${example}`)].join('\n').trimEnd()
}

/** @param {any} error @param {import('./output/terminal').Terminal} terminal @param {AbortSignal} signal */
function explain (error, terminal, signal) {
  if (signal.aborted) {
    terminal.note('Interrupted.')
    return EXIT_CODES.interrupted
  }
  // Failures and coded errors have a message for the user; anything else is a bug in loopscope, and its stack is needed to fix it.
  const isExpected = error instanceof Failure || String(error?.code).startsWith('ERR_LOOPSCOPE_')
  terminal.note(`loopscope: ${isExpected ? error.message : error?.stack ?? error}`)
  return error?.exitCode ?? EXIT_CODES.failed
}

module.exports = { main }
