'use strict'

// One file, whole or not at all: written under a partial name, synced, renamed. Failures come out as the system gave them.

const fs = require('node:fs')
const path = require('node:path')
const { syncDirectory } = require('./directory')
const { createPartialName } = require('./partial-files')

const OWNER_ONLY = 0o600
const CHUNK_BYTES = 16 * 1024 ** 2 // one write call takes less than 2 GiB, and larger chunks are no faster (512 MiB: 0.12 s either way)

/** @typedef {{ name: string, path: string, partialPath: string, fd: number }} OpenFile */

/**
 * @param {string} dir
 * @param {() => string} nextName  a new name at every call
 * @param {Uint8Array} bytes
 * @returns {{ name: string, path: string }}
 */
function writeAtomically (dir, nextName, bytes) {
  const file = openFile(dir, nextName)
  try {
    fill(file, bytes)
    fs.renameSync(file.partialPath, file.path)
  } catch (error) {
    discard(file.partialPath)
    throw error
  }
  syncDirectory(dir)
  return { name: file.name, path: file.path }
}

/**
 * Never takes a name that is in use. Whoever writes a name holds its partial file, so a look at the final name after
 * opening the partial one leaves no gap in which another writer could finish the same name.
 * @param {string} dir
 * @param {() => string} nextName
 * @returns {OpenFile}
 */
function openFile (dir, nextName) {
  for (let last = '', name = nextName(); ; last = name, name = nextName()) {
    if (name === last) throw Object.assign(new Error(`${name} exists`), { code: 'EEXIST' })
    const file = { name, path: path.join(dir, name), partialPath: path.join(dir, createPartialName(name)) }
    const fd = openNew(file.partialPath)
    if (fd === null) continue
    if (!fs.existsSync(file.path)) return { ...file, fd }
    fs.closeSync(fd)
    discard(file.partialPath)
  }
}

/**
 * @param {string} partialPath
 * @returns {number | null} null when it exists
 */
function openNew (partialPath) {
  try {
    return fs.openSync(partialPath, 'wx', OWNER_ONLY)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return null
    throw error
  }
}

/**
 * Closes the file in any case: Windows neither renames nor removes an open one.
 * @param {OpenFile} file
 * @param {Uint8Array} bytes
 */
function fill ({ fd, partialPath }, bytes) {
  try {
    // A umask may have taken even the owner's bits. By path: Node's permission model has no fchmod.
    fs.chmodSync(partialPath, OWNER_ONLY)
    let offset = 0
    while (offset < bytes.length) {
      offset += fs.writeSync(fd, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset))
    }
    sync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {number} fd */
function sync (fd) {
  try {
    fs.fsyncSync(fd)
  } catch (error) {
    // Node's permission model has no fsync either: the file is whole but may not outlast a power cut.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_ACCESS_DENIED') throw error
  }
}

/** @param {string} partialPath */
function discard (partialPath) {
  try {
    fs.unlinkSync(partialPath)
  } catch {} // why the write failed says more than this would; the next start removes the file
}

module.exports = { writeAtomically, openFile, sync, discard }
