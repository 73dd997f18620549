'use strict'

// The table of commands. A new one is a file in commands/, a line here, and one test.

/**
 * @typedef {{ type: 'string' | 'boolean', short?: string, meaning: string }} CommandOption
 *
 * @typedef {object} Invocation
 * @property {Record<string, any>} values
 * @property {string[]} positionals
 * @property {NodeJS.ProcessEnv} env
 * @property {import('./output/terminal').Terminal} terminal
 * @property {AbortSignal} signal  Ctrl-C
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {string} usage
 * @property {string} help  one line
 * @property {Record<string, CommandOption>} options
 * @property {{ min: number, max: number }} positionals
 * @property {string[]} examples
 * @property {(invocation: Invocation) => Promise<number | void>} run
 */

/** @type {readonly Command[]} */
const COMMANDS = Object.freeze([
  require('./commands/list'),
  require('./commands/profile'),
  require('./commands/heap'),
  require('./commands/stalls'),
  require('./commands/sync'),
  require('./commands/top'),
  require('./commands/metrics'),
  require('./commands/artifacts'),
  require('./commands/report'),
  require('./commands/flame'),
  require('./commands/diff'),
  require('./commands/heap-index'),
  require('./commands/run')
])

module.exports = { COMMANDS }
