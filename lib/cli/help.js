'use strict'

// Help, from the table of commands, as wide as there is room. Pure.

const { wrapped } = require('./output/wrap')

/** @import { Command } from './commands' */

const BELOW = '      ' // what a command does, below its name
const OPTION_WIDTH = 24

/**
 * @param {readonly Command[]} commands
 * @param {number} width
 */
function overview (commands, width) {
  return [
    'loopscope <command>: why the event loop of a running Node.js process was late',
    '',
    ...commands.flatMap(({ name, usage, help }) => [`  ${name} ${usage}`.trimEnd(), ...wrapped(BELOW + help, width, BELOW)]),
    '',
    ...wrapped('A pid is reached over the control socket of the process, also while its loop is blocked. A URL is that of an admin surface; its token ' +
      'comes from --token-file, LOOPSCOPE_TOKEN or --token (which others on this host can see in the list of processes).', width),
    '`loopscope help <command>` tells more.'
  ].join('\n')
}

/**
 * @param {Command} command
 * @param {number} width
 */
function helpOf ({ name, usage, help, options, examples }, width) {
  const rows = Object.entries(options).flatMap(([option, { type, short, meaning }]) => {
    const written = `${short ? `-${short}, ` : ''}--${option}${type === 'string' ? ' <value>' : ''}`
    const before = `  ${written.padEnd(OPTION_WIDTH)}  `
    return wrapped(before + meaning, width, ' '.repeat(OPTION_WIDTH + 4), before.length)
  })
  const optionLines = rows.length > 0 ? [...rows, ''] : []
  return [`loopscope ${name} ${usage}`, '', ...wrapped(help, width), '', ...optionLines, ...examples.map(example => `  ${example}`)].join('\n').trimEnd()
}

module.exports = { helpOf, overview }
