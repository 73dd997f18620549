'use strict'

// Files of /proc, which may not be there, not be ours to read, or go while they are read.

const fs = require('node:fs')

/**
 * @param {string} file
 * @returns {string | null}
 */
function readLink (file) {
  try {
    return fs.readlinkSync(file)
  } catch {
    return null
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function list (folder) {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

module.exports = { list, read, readLink }
