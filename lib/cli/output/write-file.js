'use strict'

// Writes a file beside its place, and puts it there when it is whole: who is interrupted leaves nothing.

const fs = require('node:fs')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { Failure } = require('../failure')

/** @import { Readable } from 'node:stream' */

const OWNER_ONLY = 0o600
const NO_LINKS = Object.freeze(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']) // what file systems without hard links say

/**
 * @param {string} file
 * @param {Uint8Array | Readable} content
 * @param {{ kind: 'file' | 'device', force: boolean, signal?: AbortSignal }} how
 * @returns {Promise<number>} bytes
 */
async function writeFile (file, content, { kind, force, signal }) {
  // Over a link means over what it leads to.
  const place = force && fs.existsSync(file) ? fs.realpathSync(file) : file
  const part = kind === 'device' ? place : path.join(path.dirname(place), `.${path.basename(place)}.${process.pid}.part`)
  const source = content instanceof Uint8Array ? [content] : content
  const target = fs.createWriteStream(part, { flags: kind === 'device' ? 'w' : 'wx', mode: OWNER_ONLY })
  try {
    await pipeline(source, target, { signal })
    if (kind === 'file') publish(part, place, force)
    return target.bytesWritten
  } catch (/** @type {any} */ error) {
    if (kind === 'file') fs.rmSync(part, { force: true })
    throw error.syscall === undefined || error.syscall === 'read' ? error : toFailure(file, error)
  }
}

/**
 * @param {string} part
 * @param {string} file
 * @param {boolean} force
 */
function publish (part, file, force) {
  if (force) return fs.renameSync(part, file)
  try {
    fs.linkSync(part, file) // unlike a renaming it does not take the place of a file that came meanwhile
    fs.rmSync(part)
  } catch (/** @type {any} */ error) {
    if (!NO_LINKS.includes(error.code)) throw error
    fs.renameSync(part, file)
  }
}

/**
 * @param {string} file
 * @param {any} error
 */
function toFailure (file, error) {
  return error.code === 'EEXIST' ? fileExists(file) : new Failure('failed', `Cannot write ${file}: ${error.message}`)
}

/** @param {string} file */
function fileExists (file) {
  return new Failure('failed', `${file} is there already.`, 'Choose another name with --output, or pass --force.')
}

module.exports = { fileExists, writeFile }
