'use strict'

// Load on a measured server, by autocannon in a process of its own, on processors of its own where there are any.

const { execFile } = require('node:child_process')
const { promisify } = require('node:util')
const { pinned } = require('../../lib/cli/bench/processors')

const CONNECTIONS = 20 // enough to keep one processor busy all the time
const PATIENCE_MS = 30_000

/**
 * @param {number} port
 * @param {number} seconds
 * @param {string} [processors]  as taskset takes them
 * @returns {Promise<void>}
 */
async function load (port, seconds, processors) {
  const autocannon = require.resolve('autocannon')
  const args = ['--json', '--no-progress', '-c', String(CONNECTIONS), '-d', String(seconds), `http://127.0.0.1:${port}/`]
  const [file, ...rest] = pinned(processors, [process.execPath, autocannon, ...args])
  const { stdout } = await promisify(execFile)(file, rest, { timeout: seconds * 1e3 + PATIENCE_MS })
  const { errors, non2xx } = JSON.parse(stdout)
  if (errors + non2xx > 0) throw new Error(`${errors} requests failed, ${non2xx} were refused: the figures would say nothing`)
}

module.exports = { load, CONNECTIONS }
