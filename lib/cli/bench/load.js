'use strict'

// Load on one address for some seconds, by autocannon in a process of its own, and what came of it.

const { execFile } = require('node:child_process')
const { promisify } = require('node:util')
const { Failure } = require('../failure')
const { pinned } = require('./processors')

/** @import { Autocannon } from './autocannon' */
/** @import { Settings } from './settings' */

/**
 * @typedef {object} Loaded
 * @property {number} answered
 * @property {number} perSecond
 * @property {number} errors     connections that failed or ended early, and timeouts
 * @property {number} timeouts
 * @property {number} non2xx
 * @property {Record<string, number>} statusCodes  answers by code
 * @property {{ mean: number, p50: number, p90: number, p97_5: number, p99: number, max: number }} latencyMs  whole milliseconds but for
 *   the mean
 */

const PATIENCE_MS = 30_000 // it waits 10 s for answers that do not come
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/**
 * @param {string} url
 * @param {object} how
 * @param {number} how.seconds
 * @param {Settings} how.settings
 * @param {Autocannon} how.autocannon
 * @param {string} [how.processors]  as taskset takes them
 * @param {NodeJS.ProcessEnv} how.env
 * @param {AbortSignal} how.signal
 * @returns {Promise<Loaded>}
 */
async function load (url, { seconds, settings, autocannon, processors, env, signal }) {
  const { connections, method, headers, body } = settings
  const args = ['--json', '--no-progress', '-c', String(connections), '-d', String(seconds), '-m', method,
    ...headers.flatMap(header => ['-H', header]), ...(body === undefined ? [] : ['-b', body]), url]
  const [file, ...rest] = pinned(processors, [process.execPath, autocannon.file, ...args])
  const { NODE_OPTIONS: _, ...ownEnv } = env // what is meant for the application
  try {
    const how = { env: ownEnv, signal, timeout: seconds * 1e3 + PATIENCE_MS, maxBuffer: MAX_OUTPUT_BYTES }
    const { stdout } = await promisify(execFile)(file, rest, how)
    return summarize(JSON.parse(stdout))
  } catch (/** @type {any} */ error) {
    signal.throwIfAborted()
    const [why = error.message] = (error.stderr || error.message).split('\n')
    throw new Failure('failed', `autocannon failed: ${why}`)
  }
}

/**
 * @param {any} result  of autocannon
 * @returns {Loaded}
 */
function summarize ({ requests, duration, errors, timeouts, non2xx, statusCodeStats = {}, latency }) {
  const { mean, p50, p90, p97_5: p975, p99, max } = latency
  return {
    answered: requests.total,
    perSecond: requests.total / duration,
    errors,
    timeouts,
    non2xx,
    statusCodes: Object.fromEntries(Object.entries(statusCodeStats).map(([code, { count }]) => [code, count])),
    latencyMs: { mean, p50, p90, p97_5: p975, p99, max }
  }
}

module.exports = { load }
