'use strict'

const { namedProcesses } = require('../connect/named-process')
const { completionScript, SHELLS } = require('../output/completion')
const { Failure } = require('../failure')

/** @import { Command, Invocation } from '../commands' */

// Shells evaluate what they are given as words: a name with anything else in it is not offered.
const PLAIN = /^[\w@./+-]+$/

/** @type {Command} */
module.exports = {
  name: 'completion',
  usage: `<${SHELLS.join('|')}>`,
  help: 'print the script that completes commands, options and processes in a shell',
  options: { processes: { type: 'boolean', meaning: 'print the names and pids that can stand for a process; the scripts ask for them' } },
  positionals: { min: 0, max: 1 },
  examples: ['eval "$(loopscope completion bash)" # in ~/.bashrc', 'source <(loopscope completion zsh) # in ~/.zshrc', 'loopscope completion fish > ~/.config/fish/completions/loopscope.fish'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [shell], values, env, terminal, commands }) {
  if (values.processes) return printProcesses(env, terminal)
  const script = completionScript(shell, commands)
  if (script === null) throw new Failure('usage', shell === undefined ? 'Which shell?' : `${shell} is not a shell that can be completed.`, `Shells: ${SHELLS.join(', ')}`)
  terminal.text(script)
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {Invocation['terminal']} terminal
 */
function printProcesses (env, terminal) {
  const processes = namedProcesses(env)
  const names = new Set(processes.flatMap(({ appName, group, pid }) => [appName, group, String(pid)]))
  for (const name of names) if (PLAIN.test(name)) terminal.line(name)
}
