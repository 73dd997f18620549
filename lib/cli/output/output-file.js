'use strict'

// Where a command puts what it made: a new private file, never over one that is there, or standard output.

const fs = require('node:fs')
const path = require('node:path')
const { Failure } = require('../failure')
const { printable } = require('./printable')

const OWNER_ONLY = 0o600

/**
 * @param {string} file  `-` for standard output
 * @param {Uint8Array} bytes
 * @param {{ force: boolean, terminal: import('./terminal').Terminal }} how
 */
function writeOutput (file, bytes, { force, terminal }) {
  if (file === '-') return terminal.file(bytes)
  try {
    fs.writeFileSync(file, bytes, { flag: force ? 'w' : 'wx', mode: OWNER_ONLY })
  } catch (/** @type {any} */ error) {
    if (error.code === 'EEXIST') throw fileExists(file)
    throw new Failure('failed', `Cannot write ${file}: ${error.message}`)
  }
  terminal.note(`written: ${file} (${bytes.length} bytes)`)
}

/** @param {string} file */
function fileExists (file) {
  return new Failure('failed', `${file} is there already.`, 'Choose another name with --output, or pass --force.')
}

/**
 * @param {string} kind
 * @param {string} extension
 * @param {number} [at]
 */
function defaultName (kind, extension, at = Date.now()) {
  return `${kind}-${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase()}.${extension}`
}

/**
 * @param {unknown} name  as the process tells it
 * @returns {string} of a file here; never a way to somewhere else
 */
function plainName (name) {
  if (typeof name === 'string' && name === path.basename(name) && name === printable(name) && !name.startsWith('.')) return name
  throw new Failure('failed', `The process calls its file ${name}, which is not a plain name.`, 'Choose one with --output.')
}

module.exports = { defaultName, fileExists, plainName, writeOutput }
