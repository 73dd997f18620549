'use strict'

// Help, from the table of commands. Pure.

/** @import { Command } from './commands' */

/** @param {readonly Command[]} commands */
function overview (commands) {
  const width = Math.max(...commands.map(({ name, usage }) => `${name} ${usage}`.length))
  return [
    'loopscope <command>: why the event loop of a running Node.js process was late',
    '',
    ...commands.map(({ name, usage, help }) => `  ${`${name} ${usage}`.padEnd(width)}  ${help}`),
    '',
    'A pid is reached over the control socket of the process, also while its loop is blocked. A URL is that of an admin surface; its token',
    'comes from --token-file, LOOPSCOPE_TOKEN or --token (which others on this host can see in the list of processes).',
    '`loopscope help <command>` tells more.'
  ].join('\n')
}

/** @param {Command} command */
function helpOf ({ name, usage, help, options, examples }) {
  const rows = Object.entries(options).map(([option, { type, short, meaning }]) => {
    const written = `${short ? `-${short}, ` : ''}--${option}${type === 'string' ? ' <value>' : ''}`
    return `  ${written.padEnd(24)}  ${meaning}`
  })
  const optionLines = rows.length > 0 ? [...rows, ''] : []
  return [`loopscope ${name} ${usage}`, '', help, '', ...optionLines, ...examples.map(example => `  ${example}`)].join('\n').trimEnd()
}

module.exports = { helpOf, overview }
