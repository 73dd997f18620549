'use strict'

// Finds the application that this process runs: the folder that its files are shown relative to, and its name.

const fs = require('node:fs')
const path = require('node:path')

/**
 * @typedef {object} Started  what was started, from the process or a process manager
 * @property {string} [entry]   the file
 * @property {string} [folder]  the working directory
 */

/**
 * @param {Started} [started]
 * @returns {{ root: string, name: string }} the folder of the application's package.json, and the name in it
 */
function findApplication ({ entry = process.argv[1], folder = process.cwd() } = {}) {
  const start = entry === undefined ? folder : path.dirname(realPath(entry))
  // A command of a package, such as `next start`, runs the application in the working directory.
  const ofFolder = entry !== undefined && isOfPackage(entry) ? nearestPackage(folder) : null
  return ofFolder ?? nearestPackage(start) ?? { root: start, name: 'node' }
}

/** @param {string} file */
function isOfPackage (file) {
  return file.split(path.sep).includes('node_modules')
}

/** @param {string} start */
function nearestPackage (start) {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const name = packageName(folder)
    if (name !== null) return { root: folder, name: name || 'node' }
    if (folder === path.dirname(folder)) return null
  }
}

/** @param {string} file */
function realPath (file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return path.resolve(file) // node -e, or a file given without its extension
  }
}

/**
 * @param {string} folder
 * @returns {string | null} null where there is no package.json
 */
function packageName (folder) {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
    return typeof name === 'string' ? name : ''
  } catch {
    return null
  }
}

module.exports = { findApplication }
