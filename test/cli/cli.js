'use strict'

// The command line as a user starts it.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

const BIN = path.join(__dirname, '..', '..', 'bin', 'loopscope.js')

/**
 * @param {string[]} args
 * @param {{ env?: object, cwd?: string, input?: string, onOutput?: (child: import('node:child_process').ChildProcess, text: string) => void }} [options]
 */
async function cli (args, { env = {}, cwd, input, onOutput = () => {} } = {}) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { ...process.env, XDG_RUNTIME_DIR: '', LOOPSCOPE_TOKEN: '', ...env } })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', text => {
      written[name] += text
      onOutput(child, text)
    })
  }
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, ...written }
}

module.exports = { cli, BIN }
