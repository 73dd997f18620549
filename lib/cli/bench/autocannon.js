'use strict'

// Load by autocannon, in a process of its own. It is taken from the project that is measured, from beside loopscope, or from a folder of
// loopscope's where it was installed because somebody said yes. That folder and not the project: `npm install --no-save` there would take away
// what else is not in its package.json, and does not go with the folders that pnpm and Yarn make.

const { execFile, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { Failure } = require('../failure')
const { pinned } = require('./processors')
const { makeDirectory } = require('../../shared/system/private-directory')
const { devDependencies } = require('../../../package.json')

/** @import { Invocation } from '../commands' */
/** @import { Settings } from '../commands/bench' */

const REMEDY = 'Install it where you are: `npm install --save-dev autocannon`.'
const WANTED = `autocannon@${devDependencies.autocannon}`
const PATIENCE_MS = 30_000 // it waits 10 s for answers that do not come
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/** @typedef {{ file: string, version: string }} Autocannon  file: to be run */

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

/**
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @param {readonly string[]} [folders]  that it is looked for from, before loopscope's own
 * @returns {Promise<Autocannon>}
 * @throws {Failure} when it is nowhere, and is not to be installed
 */
async function provideAutocannon ({ env, terminal, signal }, folders = [process.cwd(), __dirname]) {
  const cache = path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'loopscope', 'bench')
  const places = [...folders, cache]
  const found = find(places)
  if (found !== null) return found
  if (!await isWanted(cache, { terminal, signal })) throw new Failure('failed', 'The load is made by autocannon, which is not installed.', REMEDY)
  await install(cache, { env, signal })
  const installed = find(places)
  if (installed === null) throw new Failure('failed', `autocannon could not be installed into ${cache}.`, REMEDY)
  return installed
}

/**
 * @param {readonly string[]} places
 * @returns {Autocannon | null}
 */
function find (places) {
  for (const place of places) {
    const { resolve } = createRequire(path.join(place, 'from.js'))
    try {
      const file = resolve('autocannon')
      return { file, version: JSON.parse(fs.readFileSync(resolve('autocannon/package.json'), 'utf8')).version }
    } catch {} // not there: the next place
  }
  return null
}

/**
 * Never without a yes: off a terminal nobody can be asked.
 * @param {string} cache
 * @param {Pick<Invocation, 'terminal' | 'signal'>} surroundings
 */
async function isWanted (cache, { terminal, signal }) {
  const answer = await terminal.ask(`The load is made by autocannon, which is not installed.\nInstall ${WANTED} into ${cache}? [y/N] `, signal)
  return /^y(es)?$/i.test(answer?.trim() ?? '')
}

/**
 * @param {string} cache
 * @param {Pick<Invocation, 'env' | 'signal'>} surroundings
 */
async function install (cache, { env, signal }) {
  makeDirectory(cache)
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', WANTED]
  const npm = spawn('npm', args, { env, signal, stdio: ['ignore', 2, 2] }) // standard output is for results
  const [code] = await once(npm, 'close')
  if (code !== 0) throw new Failure('failed', `npm ended with exit code ${code}: autocannon is not installed.`, REMEDY)
}

/**
 * Load on one address for some seconds, and what came of it.
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

module.exports = { load, provideAutocannon }
