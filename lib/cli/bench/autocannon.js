'use strict'

// Generates the load with autocannon, in its own process. autocannon is taken from the measured project, from beside loopscope, or from a cache
// folder into which it is installed after the user has agreed. It is not installed into the project: `npm install --no-save` would remove other
// packages that are not in its package.json, and does not work with the folders that pnpm and Yarn create.

const { execFile, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { Failure } = require('../failure')
const { pinned } = require('./processors')
const { makeDirectory } = require('../../base/system/private-directory')
const { devDependencies } = require('../../../package.json')

/** @import { Invocation } from '../commands' */
/** @import { Settings } from '../commands/bench' */

const REMEDY = 'Install it in this project: `npm install --save-dev autocannon`.'
const PACKAGE = `autocannon@${devDependencies.autocannon}`
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
 * @throws {Failure} when it is not found, and not to be installed
 */
async function provideAutocannon ({ env, terminal, signal }, folders = [process.cwd(), __dirname]) {
  const cache = path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'loopscope', 'bench')
  const searched = [...folders, cache]
  const found = find(searched)
  if (found !== null) return found
  if (!await isInstallAllowed(cache, { terminal, signal })) throw new Failure('failed', 'bench generates load with autocannon, which is not installed.', REMEDY)
  await install(cache, { env, signal })
  const installed = find(searched)
  if (installed === null) throw new Failure('failed', `autocannon could not be installed into ${cache}.`, REMEDY)
  return installed
}

/**
 * @param {readonly string[]} folders
 * @returns {Autocannon | null}
 */
function find (folders) {
  for (const folder of folders) {
    const { resolve } = createRequire(path.join(folder, 'from.js'))
    try {
      const file = resolve('autocannon')
      return { file, version: JSON.parse(fs.readFileSync(resolve('autocannon/package.json'), 'utf8')).version }
    } catch {} // not there: try the next folder
  }
  return null
}

/**
 * Asks the user; without a terminal the answer is no.
 * @param {string} cache
 * @param {Pick<Invocation, 'terminal' | 'signal'>} surroundings
 */
async function isInstallAllowed (cache, { terminal, signal }) {
  const answer = await terminal.ask(`bench generates load with autocannon, which is not installed.\nInstall ${PACKAGE} into ${cache}? [y/N] `, signal)
  return /^y(es)?$/i.test(answer?.trim() ?? '')
}

/**
 * @param {string} cache
 * @param {Pick<Invocation, 'env' | 'signal'>} surroundings
 */
async function install (cache, { env, signal }) {
  makeDirectory(cache)
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', PACKAGE]
  const npm = spawn('npm', args, { env, signal, stdio: ['ignore', 2, 2] }) // standard output is for results
  const [code] = await once(npm, 'close')
  if (code !== 0) throw new Failure('failed', `npm failed with exit code ${code}: autocannon is not installed.`, REMEDY)
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
