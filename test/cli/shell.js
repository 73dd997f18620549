'use strict'

// A shell on a terminal of its own, with `loopscope` as a command: what a user types, redirections and pipes included.

const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { BIN } = require('./cli')

const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'script(1), which makes a terminal, is not installed'

/** Keys, as a terminal sends them. */
const KEYS = Object.freeze({ interrupt: '\u0003', enter: '\r', up: '\u001b[A', down: '\u001b[B' })

/**
 * @param {string} line  of the shell
 * @param {{ cwd?: string, env?: object, columns?: number, rows?: number, onOutput?: (type: (keys: string) => void, screen: string) => void }} [options]
 *   onOutput: whenever something was written, with all of it
 * @returns {Promise<{ code: number, screen: string }>}
 */
async function shell (line, { cwd, env = {}, columns = 80, rows = 24, onOutput = () => {} } = {}) {
  const setUp = `stty cols ${columns} rows ${rows}; loopscope () { "$NODE" "$BIN" "$@"; };`
  const child = spawn('script', ['-qec', `${setUp} ${line}`, '/dev/null'], {
    cwd,
    env: { ...process.env, XDG_RUNTIME_DIR: '', LOOPSCOPE_TOKEN: '', NODE: process.execPath, BIN, SHELL: '/bin/sh', ...env }
  })
  let screen = ''
  child.stdin.on('error', () => {}) // it may have ended before a key arrives
  child.stdout.setEncoding('utf8').on('data', text => {
    screen += text
    onOutput(keys => child.stdin.write(keys), screen)
  })
  const [code] = await once(child, 'close')
  return { code, screen }
}

/**
 * For onOutput. Once: the terminal shows what is typed, and that is output, too; a second Ctrl-C would end a command without a word.
 * @param {RegExp} shown  what the screen has to show
 * @param {string} keys
 */
function typeOnce (shown, keys) {
  let isTyped = false
  return (type, screen) => {
    if (isTyped || !shown.test(screen)) return
    isTyped = true
    type(keys)
  }
}

module.exports = { KEYS, noTerminal, shell, typeOnce }
