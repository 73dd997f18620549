'use strict'

// Generates the load with autocannon, in its own process.

const { execFile } = require('node:child_process')
const { promisify } = require('node:util')
const { Failure } = require('../failure')
const { pinned } = require('./processors')
const { provideOptionalPackage } = require('../optional-package')

/** @import { Invocation } from '../commands' */
/** @import { Settings } from '../commands/bench' */

/** @type {import('../optional-package').OptionalPackage} */
const PACKAGE = Object.freeze({ name: 'autocannon', use: 'bench generates load with autocannon', cache: 'bench' })
const EXTRA_MS = 30_000 // it waits 10 s for missing answers
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/** @typedef {{ file: string, version: string }} Autocannon  file: the script to run */

/**
 * @typedef {object} Loaded
 * @property {number} answered
 * @property {number} perSecond
 * @property {number} errors     connections that failed or ended early, and timeouts
 * @property {number} timeouts
 * @property {number} non2xx
 * @property {Record<string, number>} statusCodes  number of answers by code
 * @property {{ mean: number, p50: number, p90: number, p97_5: number, p99: number, max: number }} latencyMs  integers, except for
 *   the mean
 */

/**
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @param {readonly string[]} [folders]  to search before the cache folder
 * @returns {Promise<Autocannon>}
 * @throws {import('../failure').Failure} when it is not found, and not to be installed
 */
async function provideAutocannon (surroundings, folders) {
  const requirePackage = await provideOptionalPackage(PACKAGE, surroundings, folders)
  return { file: requirePackage.resolve('autocannon'), version: requirePackage('autocannon/package.json').version }
}

/**
 * Sends requests to a URL for some seconds.
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
  const { NODE_OPTIONS: _, ...ownEnv } = env // meant for the application
  try {
    const how = { env: ownEnv, signal, timeout: seconds * 1e3 + EXTRA_MS, maxBuffer: MAX_OUTPUT_BYTES }
    const { stdout } = await promisify(execFile)(file, rest, how)
    return summarize(JSON.parse(stdout))
  } catch (/** @type {any} */ error) {
    signal.throwIfAborted()
    const [reason = error.message] = (error.stderr || error.message).split('\n')
    throw new Failure('failed', `autocannon failed: ${reason}`)
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

module.exports = { load, provideAutocannon }
