'use strict'

// Where autocannon is: in the project that is measured, beside us, or in a folder of ours where it was put because somebody said
// yes. That folder and not the project: `npm install --no-save` there would take away what else is not in its package.json, and
// does not go with the folders that pnpm and Yarn make.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { Failure } = require('../failure')
const { makeDirectory } = require('../../shared/system/private-directory')
const { devDependencies } = require('../../../package.json')

/** @import { Invocation } from '../commands' */

/** @typedef {{ file: string, version: string }} Autocannon  file: to be run */

const REMEDY = 'Install it where you are: `npm install --save-dev autocannon`.'
const WANTED = `autocannon@${devDependencies.autocannon}`

/**
 * @param {Pick<Invocation, 'env' | 'terminal' | 'signal'>} surroundings
 * @param {readonly string[]} [folders]  that it is looked for from, before the one of ours
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

module.exports = { provideAutocannon }
