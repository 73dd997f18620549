'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const os = require('node:os')
const { Failure } = require('../failure')
const { withPreload } = require('../preload')

/** @import { Command, Invocation } from '../commands' */

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
const SIGNAL_EXIT_BASE = 128

/** @type {Command} */
module.exports = {
  name: 'run',
  usage: '-- <command> [arguments]',
  help: 'run a program with loopscope preloaded, without changing its code; options come from LOOPSCOPE_* variables',
  options: {},
  positionals: { min: 1, max: Infinity },
  examples: ['loopscope run -- node app.js', 'LOOPSCOPE_ADMIN_LISTEN=6060 loopscope run -- npm start'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [command, ...args], env }) {
  const child = spawn(command, args, { stdio: 'inherit', env: withPreload(env) })
  const releases = FORWARDED.map(signal => {
    const handler = () => { child.kill(signal) }
    process.on(signal, handler)
    return () => process.off(signal, handler)
  })
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? SIGNAL_EXIT_BASE + os.constants.signals[/** @type {NodeJS.Signals} */ (signal)]
  } catch (error) {
    throw new Failure('failed', `Cannot run ${command}: ${/** @type {Error} */ (error).message}`)
  } finally {
    for (const release of releases) release()
  }
}
