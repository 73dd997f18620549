'use strict'

// Finds the application that this process runs: the folder that its files are shown relative to, its name, and the registry of its metrics client.

const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')
const { attempt } = require('../../base/guard')
const { readRegularText } = require('../../base/regular-file')

/** @import { Registry } from 'prom-client' */

/**
 * @typedef {object} Started  what was started, from the process or a process manager
 * @property {string} [entry]   the file
 * @property {string} [folder]  the working directory
 */

const NAMELESS = 'node'
const ROOT = path.parse(process.execPath).root // where the working directory was removed
const NO_CODE = new Set(['node_modules', '.git'])
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|coffee)$/i
const MAX_BYTES = 16 * 1024 ** 2
const MAX_SEARCHED = 500 // of files and folders
const CLIENTS = Object.freeze(['@prometheus-io/client', 'prom-client'])

/**
 * @param {Started} [started]
 * @returns {{ root: string, name: string }} the folder of the application's package.json, and the name in it
 */
function findApplication ({ entry = process.argv[1], folder = attempt(() => process.cwd(), ROOT) } = {}) {
  const start = entry === undefined ? folder : path.dirname(attempt(() => fs.realpathSync(entry), path.resolve(entry))) // of node -e, or a file given without its extension
  const own = nearestPackage(start) ?? { root: start, name: NAMELESS }
  if (entry === undefined || !entry.split(path.sep).includes('node_modules')) return own
  // A command of a package, such as `next start`, runs the application in the working directory. Where that holds no code (only a configuration, or
  // data), the package is the application, as it is where it is installed globally.
  const ofFolder = nearestPackage(folder)
  if (ofFolder === null || hasCode(ofFolder.root)) return ofFolder ?? own
  return { root: own.root, name: ofFolder.name === NAMELESS ? own.name : ofFolder.name }
}

/** @param {string} root  of an application, without its packages */
function hasCode (root) {
  const folders = [root]
  let searched = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of entriesOf(folder)) {
      if (++searched > MAX_SEARCHED || CODE.test(entry.name)) return true
      if (entry.isDirectory() && !NO_CODE.has(entry.name)) folders.push(path.join(folder, entry.name))
    }
  }
  return false
}

/** One after the other, since a folder of data may have very many. @param {string} folder */
function * entriesOf (folder) {
  try {
    const dir = fs.opendirSync(folder)
    try {
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) yield entry
    } finally {
      dir.closeSync()
    }
  } catch {} // not readable
}

/** @param {string} start */
function nearestPackage (start) {
  /** @type {{ root: string, name: string } | null} */
  let marked = null
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = readPackage(folder)
    if (found !== null) {
      const nearest = { root: folder, name: typeof found.name === 'string' && found.name !== '' ? found.name : NAMELESS }
      if (Object.keys(found).some(key => key !== 'type')) return nearest
      // A build tool marks its output so: `dist/package.json` with nothing but { "type": "commonjs" }.
      marked ??= nearest
    }
    if (folder === path.dirname(folder)) return marked
  }
}

/** @param {string} folder @returns {any} what its package.json holds; null where there is none */
function readPackage (folder) {
  return attempt(() => JSON.parse(readRegularText(path.join(folder, 'package.json'), { maxBytes: MAX_BYTES })), null)
}

/**
 * The default registry of the application's metrics client, which its /metrics route serves. The clients have separate ones.
 * @param {string} appRoot
 * @returns {Registry | undefined}
 */
function findRegistry (appRoot) {
  const requireOfApp = createRequire(path.join(appRoot, 'package.json'))
  const declared = declaredClients(appRoot)
  // The other may be installed only by a package, loopscope among them.
  for (const name of [...declared, ...CLIENTS.filter(name => !declared.includes(name))]) {
    try {
      return requireOfApp(name).register
    } catch {} // not installed, or not loadable by this Node.js
  }
  return undefined
}

/** @param {string} appRoot @returns {string[]} those among the dependencies of the application */
function declaredClients (appRoot) {
  const dependencies = Object(readPackage(appRoot)?.dependencies)
  return CLIENTS.filter(name => name in dependencies)
}

module.exports = { declaredClients, findApplication, findRegistry }
