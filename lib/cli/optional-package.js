'use strict'

// Finds a package that one command needs and loopscope does not install: in the user's project, beside loopscope, or in a cache folder into
// which it is installed after the user has agreed. It is not installed into the project: `npm install --no-save` would remove other packages
// that are not in its package.json, and does not work with the folders that pnpm and Yarn create.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { Failure } = require('./failure')
const { makeDirectory } = require('../base/system/private-directory')
const { devDependencies } = require('../../package.json')

/** @import { Surroundings } from './commands' */

/**
 * @typedef {object} OptionalPackage
 * @property {keyof typeof devDependencies} name
 * @property {string} use     begins the message where it is missing, as in "bench generates load with autocannon"
 * @property {string} cache   name of its folder in ~/.cache/loopscope
 * @property {string} [remedy]  what to do where it is missing
 */

/**
 * @param {OptionalPackage} wanted
 * @param {Surroundings} surroundings
 * @param {readonly string[]} [folders]  to search before the cache folder
 * @returns {Promise<NodeJS.Require>} requires the package from where it was found
 * @throws {Failure} when it is not found, and not to be installed
 */
async function provideOptionalPackage ({ name, use, cache: folder, remedy = `Install it in this project: \`npm install --save-dev ${name}\`.` },
  { env, terminal, signal }, folders = [process.cwd(), __dirname]) {
  const cache = path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'loopscope', folder)
  const searched = [...folders, cache]
  const found = find(name, searched)
  if (found !== null) return found
  const wanted = `${name}@${devDependencies[name]}`
  const answer = await terminal.ask(`${use}, which is not installed.\nInstall ${wanted} into ${cache}? [y/N] `, signal) // null without a terminal
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new Failure('failed', `${use}, which is not installed.`, remedy)
  makeDirectory(cache)
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', wanted]
  const [code] = await once(spawn('npm', args, { env, signal, stdio: ['ignore', 2, 2] }), 'close') // standard output is for results
  if (code !== 0) throw new Failure('failed', `npm failed with exit code ${code}: ${name} is not installed.`, remedy)
  const installed = find(name, searched)
  if (installed === null) throw new Failure('failed', `${name} could not be installed into ${cache}.`, remedy)
  return installed
}

/** @param {string} name @param {readonly string[]} folders @returns {NodeJS.Require | null} */
function find (name, folders) {
  for (const folder of folders) {
    const requirePackage = createRequire(path.join(folder, 'from.js'))
    try {
      requirePackage.resolve(name)
      return requirePackage
    } catch {} // not there: try the next folder
  }
  return null
}

module.exports = { provideOptionalPackage }
