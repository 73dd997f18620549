'use strict'

// Where a result goes, the same for all commands: standard output, or with -o a new private file, never over one that is there. What
// speaks against a place is said before anything is recorded; a file is there as a whole or not at all.

const fs = require('node:fs')
const path = require('node:path')
const { Readable } = require('node:stream')
const { buffer } = require('node:stream/consumers')
const { Failure } = require('../failure')
const { fileExists, writeFile } = require('./write-file')
const { localTime } = require('../../shared/base/local-time')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Terminal } from './terminal' */

const OUTPUT_OPTIONS = Object.freeze({
  output: { type: /** @type {const} */ ('string'), short: 'o', meaning: 'file to write, or a folder; - is standard output (default)' },
  force: { type: /** @type {const} */ ('boolean'), meaning: 'write over a file that is there' }
})

/** @typedef {{ file: string | null, write: (content: Uint8Array | Readable) => Promise<void> }} Destination  file: null for standard output */

/**
 * @param {{ values: Record<string, any>, terminal: Terminal, signal?: AbortSignal }} invocation
 * @param {{ name: string, isText?: boolean }} made  name: where a folder is given, and for advice; isText: a terminal can show it
 * @returns {Destination}
 * @throws {Failure} when it cannot go there
 */
function openDestination ({ values: { output, force = false }, terminal, signal }, { name, isText = false }) {
  if (isStandardOutput(output)) return toOutput(terminal, { name, isText })
  const file = fileOf(output, name)
  const kind = kindOf(file, force)
  return {
    file,
    write: async content => {
      const bytes = await writeFile(file, content, { kind, force, signal })
      terminal.note(`written: ${file} (${showBytes(bytes)})`)
    }
  }
}

/** @param {string | undefined} output  option */
function isStandardOutput (output) {
  return output === undefined || output === '-'
}

/**
 * @param {Terminal} terminal
 * @param {{ name: string, isText: boolean }} made
 * @returns {Destination}
 */
function toOutput (terminal, { name, isText }) {
  if (!isText && terminal.isOutputTerminal) {
    throw new Failure('usage', 'The result is a file, which a terminal cannot show.', `Name one, as in -o ${name}, or pass it on with > or |.`)
  }
  return {
    file: null,
    write: async content => {
      if (isText) return terminal.text(content instanceof Readable ? await buffer(content) : content)
      if (content instanceof Readable) return terminal.stream(content)
      terminal.file(content)
    }
  }
}

/**
 * @param {string} output
 * @param {string} name
 */
function fileOf (output, name) {
  if (output === '') throw new Failure('usage', '--output wants the name of a file, of a folder, or -.')
  return statOf(output)?.isDirectory() ? path.join(output, path.basename(name)) : output
}

/**
 * @param {string} file
 * @param {boolean} force
 * @returns {'file' | 'device'}  device: it takes what it gets, and is not replaced
 */
function kindOf (file, force) {
  try {
    const stats = statOf(file)
    if (stats !== undefined && !stats.isFile()) return 'device'
    if (stats !== undefined && !force) throw fileExists(file)
    const folder = path.dirname(file)
    if (!fs.statSync(folder).isDirectory()) throw new Failure('failed', `Cannot write ${file}: ${folder} is not a folder.`)
    fs.accessSync(folder, fs.constants.W_OK)
    return 'file'
  } catch (/** @type {any} */ error) {
    throw error instanceof Failure ? error : new Failure('failed', `Cannot write ${file}: ${reasonOf(error, path.dirname(file))}`)
  }
}

/**
 * Versions of Node.js differ in what they throw for a path that leads through a file.
 * @param {string} file
 * @returns {fs.Stats | undefined} undefined: there is nothing, or it cannot be seen
 */
function statOf (file) {
  try {
    return fs.statSync(file)
  } catch {
    return undefined
  }
}

/**
 * @param {any} error
 * @param {string} folder
 */
function reasonOf (error, folder) {
  if (error.code === 'ENOENT') return `there is no folder ${folder}.`
  if (error.code === 'ENOTDIR') return `${folder} is not a folder.`
  if (error.code === 'EACCES') return `you may not write to ${folder}.`
  return error.message
}

/**
 * @param {string} kind
 * @param {string} extension
 */
function nameOf (kind, extension) {
  const moment = localTime(Date.now())
  return `${kind}-${moment.replace(/[-:]/g, '').replace(' ', 't')}.${extension}`
}

module.exports = { OUTPUT_OPTIONS, isStandardOutput, nameOf, openDestination }
