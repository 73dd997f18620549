'use strict'

// Writes files completely or not at all: under a partial name, synced, then renamed. System errors are thrown unchanged. Partial files,
// `<name>.<pid>.partial`, are removed when their writer no longer exists.

const fs = require('node:fs')
const path = require('node:path')
const { syncDirectory } = require('./directory')
const { parseFileName, parseSidecarName } = require('../../shared/store/file-name')
const { isAlive } = require('../../base/system/process-ids')
const { replaceFile } = require('../../base/system/replace-file')

const OWNER_ONLY = 0o600
const CHUNK_BYTES = 16 * 1024 ** 2 // one write call takes less than 2 GiB, and larger chunks are no faster (512 MiB: 0.12 s either way)

const PARTIAL = /^(.+)\.([1-9]\d*)\.partial$/

// Process ids are reused. No active write leaves its file untouched for this long, whichever process has the id now.
const ABANDONED_AFTER_MS = 60 * 60 * 1000

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
    replaceFile(file.partialPath, file.path)
  } catch (error) {
    discard(file.partialPath)
    throw error
  }
  syncDirectory(dir)
  return { name: file.name, path: file.path }
}

/**
 * Never takes a name that is in use. The writer of a name holds its partial file, so checking for the final name after opening the partial one
 * leaves no gap in which another writer could finish the same name.
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

/** @param {string} partialPath @returns {number | null} null if it exists */
function openNew (partialPath) {
  try {
    return fs.openSync(partialPath, 'wx', OWNER_ONLY)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return null
    throw error
  }
}

/**
 * Closes the file in any case: Windows neither renames nor removes an open file.
 * @param {OpenFile} file
 * @param {Uint8Array} bytes
 */
function fill ({ fd, partialPath }, bytes) {
  try {
    // A umask may have removed even the owner's permissions. By path: Node's permission model has no fchmod.
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
    // Node's permission model has no fsync either: the file is complete but may not survive a power cut.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_ACCESS_DENIED') throw error
  }
}

/** @param {string} partialPath */
function discard (partialPath) {
  try {
    fs.unlinkSync(partialPath)
  } catch {} // the reason of the failed write matters more; the next start removes the file
}

/**
 * @param {string} name  of the artifact
 * @returns {string}
 */
function createPartialName (name) {
  return `${name}.${process.pid}.partial`
}

/**
 * Removes files without a writer: partial files, and sidecars without their artifact.
 * @param {string} dir
 * @param {number} now  milliseconds since the epoch
 * @returns {number} bytes of partial files that stay, since they may still be written
 */
function removePartialFiles (dir, now) {
  const entries = fs.readdirSync(dir)
  const present = new Set(entries)
  let bytes = 0
  for (const entry of entries) {
    const pid = writerOfPartial(entry) ?? writerOfOrphan(entry, present)
    if (pid === null) continue
    const file = path.join(dir, entry)
    try {
      const { size, mtimeMs } = fs.lstatSync(file)
      if (isAbandoned(pid, mtimeMs, now)) fs.unlinkSync(file)
      else bytes += size
    } catch {} // another process was first, or has it open on Windows
  }
  return bytes
}

/**
 * @param {string} entry
 * @returns {number | null} the process id of its writer; null if it is not a partial file of the store
 */
function writerOfPartial (entry) {
  const [, name, pid] = PARTIAL.exec(entry) ?? []
  if (name === undefined || (parseFileName(name) === null && parseSidecarName(name) === null)) return null
  return Number(pid)
}

/**
 * @param {string} entry
 * @param {Set<string>} present
 * @returns {number | null} the process that wrote a sidecar, if that has no artifact
 */
function writerOfOrphan (entry, present) {
  const artifact = parseSidecarName(entry)
  if (artifact === null || present.has(artifact)) return null
  return parseFileName(artifact)?.pid ?? null
}

/**
 * @param {number} pid
 * @param {number} touchedAt  milliseconds since the epoch
 * @param {number} now
 */
function isAbandoned (pid, touchedAt, now) {
  // In a container the process before a restart had the same id: usually 1.
  if (pid === process.pid) return touchedAt < now - process.uptime() * 1000
  return now - touchedAt > ABANDONED_AFTER_MS || !isAlive(pid)
}

module.exports = { createPartialName, discard, openFile, removePartialFiles, sync, writeAtomically }
