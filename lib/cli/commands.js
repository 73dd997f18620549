'use strict'

// The table of commands. A new one is a file in commands/, a line here, and one test.

/**
 * @typedef {{ type: 'string' | 'boolean', short?: string, multiple?: boolean, meaning: string }} CommandOption
 *
 * @typedef {object} Invocation
 * @property {Record<string, any>} values
 * @property {string[]} positionals
 * @property {NodeJS.ProcessEnv} env
 * @property {import('./output/terminal').Terminal} terminal
 * @property {AbortSignal} signal  Ctrl-C
 * @property {readonly ListedCommand[]} commands  all there are
 * @property {(argv: string[], surroundings: Surroundings) => Promise<number>} runCommand  runs a command, and returns its exit code
 *
 * @typedef {Pick<Invocation, 'env' | 'terminal' | 'signal'>} Surroundings
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {string} [usage]  without it and positionals: of a command about one process
 * @property {string} help  one line
 * @property {Record<string, CommandOption>} options
 * @property {{ min: number, max: number }} [positionals]
 * @property {string[]} examples
 * @property {boolean} [readsFiles]  it only reads files: nothing has to be canceled, so Ctrl-C ends it like any program
 * @property {boolean} [makesFile]  it opens its destination itself; the output of other commands is redirected by -o
 * @property {(invocation: Invocation) => Promise<number | void>} run
 *
 * @typedef {Command & Required<Pick<Command, 'usage' | 'positionals'>>} ListedCommand
 */

// A process may be given by --socket instead.
const OF_ONE_PROCESS = Object.freeze({ usage: '<pid|name|url>', positionals: { min: 0, max: 1 } })

/** @type {readonly ListedCommand[]} */
const COMMANDS = Object.freeze([
  require('./commands/why'),
  require('./commands/list'),
  require('./commands/profile'),
  require('./commands/heap'),
  require('./commands/stalls'),
  require('./commands/threads'),
  require('./commands/requests'),
  require('./commands/ps'),
  require('./commands/memory'),
  require('./commands/slow'),
  require('./commands/waits'),
  require('./commands/what-if'),
  require('./commands/sync'),
  require('./commands/rules'),
  require('./commands/mark'),
  require('./commands/top'),
  require('./commands/metrics'),
  require('./commands/artifacts'),
  require('./commands/files/report'),
  require('./commands/files/flame'),
  require('./commands/diff'),
  require('./commands/files/heap-index'),
  require('./commands/run'),
  require('./commands/bench'),
  require('./commands/mcp'),
  require('./commands/completion')
].map(command => ({ ...OF_ONE_PROCESS, ...command })))

module.exports = { COMMANDS }
