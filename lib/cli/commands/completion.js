'use strict'

const { namedProcesses } = require('../connect/connect')
const { Failure } = require('../failure')

/** @import { Command, Invocation, ListedCommand } from '../commands' */

const SCRIPTS = Object.freeze({ bash: bashScript, zsh: zshScript, fish: fishScript })
const SHELLS = Object.freeze(Object.keys(SCRIPTS))

// Shells evaluate what they are given as words: a name with anything else in it is not offered.
const PLAIN = /^[\w@./+-]+$/

/** @type {Command} */
module.exports = {
  name: 'completion',
  usage: `<${SHELLS.join('|')}>`,
  help: 'print the script that completes commands, options and processes in a shell',
  options: { processes: { type: 'boolean', meaning: 'print the names and pids that can stand for a process; the scripts ask for them' } },
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

/** @param {NodeJS.ProcessEnv} env @param {Invocation['terminal']} terminal */
function printProcesses (env, terminal) {
  const processes = namedProcesses(env)
  const names = new Set(processes.flatMap(({ appName, group, pid }) => [appName, group, String(pid)]))
  for (const name of names) if (PLAIN.test(name)) terminal.line(name)
}

/* eslint-disable no-template-curly-in-string -- variables of the shells */
// cspell:ignore compdef compgen COMPREPLY CWORD esac

const TAKES_PROCESS = 'pid|name|url'
const TAKES_FILE = /file|before/

/**
 * @param {string | undefined} shell
 * @param {readonly ListedCommand[]} commands
 * @returns {string | null} null: a shell that is not known
 */
function completionScript (shell, commands) {
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell)) return null
  return `${SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (shell)](commands).join('\n')}\n`
}

/** @param {readonly ListedCommand[]} commands */
function bashScript (commands) {
  const rows = commands.map(command => `    ${command.name}) options=${quote(optionsOf(command).map(({ flag }) => flag).join(' '))}; processes=${takesProcess(command) ? 1 : ''} ;;`)
  return [
    '# bash completion for loopscope: eval "$(loopscope completion bash)"',
    '_loopscope () {',
    '  local current=${COMP_WORDS[COMP_CWORD]} options= processes=',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W ${quote([...commands.map(({ name }) => name), 'help'].join(' '))} -- "$current"))`,
    '    return',
    '  fi',
    '  case ${COMP_WORDS[1]} in',
    `    help) COMPREPLY=($(compgen -W ${quote(commands.map(({ name }) => name).join(' '))} -- "$current")); return ;;`,
    `    completion) COMPREPLY=($(compgen -W ${quote(SHELLS.join(' '))} -- "$current")); return ;;`,
    ...rows,
    '  esac',
    '  if [[ $current == -* ]]; then',
    '    COMPREPLY=($(compgen -W "$options" -- "$current"))',
    '  elif [ -n "$processes" ]; then',
    '    COMPREPLY=($(compgen -W "$(eval "${COMP_WORDS[0]} completion --processes" 2>/dev/null)" -- "$current"))',
    '  fi',
    '}',
    'complete -o default -F _loopscope loopscope'
  ]
}

/** @param {readonly ListedCommand[]} commands */
function zshScript (commands) {
  const describe = (/** @type {string} */ name, /** @type {string} */ help) => quote(`${name.replaceAll(':', '\\:')}:${help}`)
  const rows = commands.map(command =>
    `    ${command.name}) options=(${optionsOf(command).map(({ flag, meaning }) => describe(flag, meaning)).join(' ')}); processes=${takesProcess(command) ? 1 : ''} ;;`)
  return [
    '#compdef loopscope',
    '# zsh completion for loopscope: source <(loopscope completion zsh)',
    '_loopscope () {',
    '  local -a commands options names',
    '  local processes=',
    `  commands=(${commands.map(({ name, help }) => describe(name, help)).join(' ')})`,
    '  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  case $words[2] in',
    `    completion) names=(${SHELLS.join(' ')}); _describe 'shell' names; return ;;`,
    ...rows,
    '  esac',
    '  if [[ $words[CURRENT] == -* ]]; then',
    "    _describe -o 'option' options",
    '  elif [[ -n $processes ]]; then',
    '    names=(${(f)"$(eval "$words[1] completion --processes" 2>/dev/null)"})',
    "    _describe 'process' names",
    '  else',
    '    _files',
    '  fi',
    '}',
    'compdef _loopscope loopscope'
  ]
}

/** @param {readonly ListedCommand[]} commands */
function fishScript (commands) {
  const complete = (/** @type {string} */ condition, /** @type {string} */ rest) => `complete -c loopscope -n ${quoteForFish(condition)} ${rest}`
  const isFirst = 'test (count (commandline -opc)) -eq 1'
  const isCommand = (/** @type {string[]} */ names) => `contains -- (commandline -opc)[2] ${names.join(' ')}`
  const named = (/** @type {(command: ListedCommand) => boolean} */ wanted) => commands.filter(wanted).map(({ name }) => name)
  return [
    '# fish completion for loopscope: loopscope completion fish > ~/.config/fish/completions/loopscope.fish',
    'complete -c loopscope -f',
    ...commands.map(({ name, help }) => complete(isFirst, `-a ${name} -d ${quoteForFish(help)}`)),
    ...commands.flatMap(command => optionsOf(command).map(({ option, short, takesValue, meaning }) =>
      complete(isCommand([command.name]), `-l ${option}${short === undefined ? '' : ` -s ${short}`}${takesValue ? ' -r' : ''} -d ${quoteForFish(meaning)}`))),
    complete(isCommand(named(takesProcess)), '-a "(loopscope completion --processes 2>/dev/null)"'),
    complete(isCommand(named(({ usage }) => TAKES_FILE.test(usage))), '-F'),
    complete(isCommand(['completion']), `-a ${quoteForFish(SHELLS.join(' '))}`),
    complete(isCommand(['help']), `-a ${quoteForFish(named(() => true).join(' '))}`)
  ]
}

/** @param {ListedCommand} command */
function optionsOf ({ options }) {
  /** @type {Command['options']} */
  const all = { ...options, help: { type: 'boolean', short: 'h', meaning: 'show the options' } }
  return Object.entries(all).map(([option, { type, short, meaning }]) => ({ option, flag: `--${option}`, short, takesValue: type === 'string', meaning }))
}

/** @param {ListedCommand} command */
function takesProcess ({ usage }) {
  return usage.includes(TAKES_PROCESS)
}

/** @param {string} text */
function quote (text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** @param {string} text */
function quoteForFish (text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
