'use strict'

// Which application this process runs: the folder its files are shown relative to, and its name.

const fs = require('node:fs')
const path = require('node:path')

/**
 * @param {string} [entry]  the file that was started
 * @returns {{ root: string, name: string }} the folder of the nearest package.json above the entry, and the name in it
 */
function findApplication (entry = process.argv[1]) {
  const start = entry === undefined ? process.cwd() : path.dirname(realPath(entry))
  for (let folder = start; ; folder = path.dirname(folder)) {
    const name = packageName(folder)
    if (name !== null) return { root: folder, name: name || 'node' }
    if (folder === path.dirname(folder)) return { root: start, name: 'node' }
  }
}

/** @param {string} file */
function realPath (file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return path.resolve(file) // node -e, or a file without its extension
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
