'use strict'

// Reserves space for a file that other code writes, such as V8: two empty private files, one under a partial name for what is kept and one for what
// must not be. The result is an artifact with its sidecar, or nothing. It reads neither file.

const fs = require('node:fs')
const path = require('node:path')
const { writeMetadata } = require('./artifact-files')
const { createPartialName, discard, openFile, sync } = require('./atomic-write')
const { syncDirectory, isOutOfRoom, toGone, toStoreError } = require('./directory')
const { replaceFile } = require('../../base/system/replace-file')
const { createScratchName, sidecarOf } = require('../../shared/store/file-name')

const OWNER_ONLY = 0o600

/**
 * @typedef {object} ScratchFile
 * @property {string} path
 * @property {string | null} inode  of a file without a name: its path is a descriptor number, which is reused after its release
 * @property {() => void} release  called again if a writer may still have been active
 */

/**
 * @typedef {object} Reservation
 * @property {string} name  of the future artifact
 * @property {string} partialPath  the file for what is kept
 * @property {Pick<ScratchFile, 'path' | 'inode'>} scratch  the file for what is removed in any case
 * @property {(metadata: object) => { name: string, path: string, bytes: number }} commit
 * @property {(error: unknown) => unknown} explain
 *   the error while it was filled: for a full disk, or a file that is gone, the store's own error
 * @property {() => void} abandon  does nothing after commit(); called again if a writer may still have been active
 */

/**
 * @param {string} dir
 * @param {() => string} nextName  a new name at every call
 * @param {{ expectedBytes: number, onCommit: (name: string) => void }} more
 * @returns {Reservation}
 */
function reserve (dir, nextName, { expectedBytes, onCommit }) {
  const file = openFile(dir, nextName)
  fs.closeSync(file.fd)
  try {
    // A umask may have removed even the owner's permissions.
    fs.chmodSync(file.partialPath, OWNER_ONLY)
    const scratch = createScratchFile(path.join(dir, createPartialName(createScratchName(file.name))))
    return new PendingArtifact({ dir, name: file.name, partialPath: file.partialPath, scratch, expectedBytes, onCommit })
  } catch (error) {
    discard(file.partialPath)
    throw error
  }
}

class PendingArtifact {
  #dir
  #expectedBytes
  #onCommit
  #isKept = false
  #isOver = false

  /**
   * @param {object} parts
   * @param {string} parts.dir
   * @param {string} parts.name
   * @param {string} parts.partialPath
   * @param {ScratchFile} parts.scratch
   * @param {number} parts.expectedBytes
   * @param {(name: string) => void} parts.onCommit
   */
  constructor ({ dir, name, partialPath, scratch, expectedBytes, onCommit }) {
    this.#dir = dir
    this.#expectedBytes = expectedBytes
    this.#onCommit = onCommit
    this.name = name
    this.partialPath = partialPath
    this.scratch = scratch
  }

  /** @param {object} metadata */
  commit (metadata) {
    try {
      const bytes = this.#settle()
      const artifact = { name: this.name, path: path.join(this.#dir, this.name), bytes }
      // First the sidecar: a visible artifact always has one. A sidecar alone is removed with the partial files.
      writeMetadata(this.#dir, this.name, metadata)
      replaceFile(this.partialPath, artifact.path)
      syncDirectory(this.#dir)
      this.#isKept = this.#isOver = true
      this.#onCommit(this.name)
      return artifact
    } catch (error) {
      this.abandon()
      throw toStoreError(error, this.#dir)
    }
  }

  /** @param {unknown} error */
  explain (error) {
    if (isOutOfRoom(error)) return toStoreError(error, this.#dir, this.#expectedBytes)
    const isGone = !this.#isOver && !fs.existsSync(this.partialPath)
    return isGone ? toGone(error, this.#dir) : error
  }

  abandon () {
    if (this.#isKept) return
    this.#isOver = true
    this.scratch.release()
    for (const file of [this.partialPath, path.join(this.#dir, sidecarOf(this.name))]) discard(file)
  }

  /** Removes the scratch file before the other file becomes visible: it holds what must be left out. */
  #settle () {
    this.scratch.release()
    fs.chmodSync(this.partialPath, OWNER_ONLY)
    const fd = fs.openSync(this.partialPath, 'r+')
    try {
      sync(fd)
      return fs.fstatSync(fd).size
    } finally {
      fs.closeSync(fd)
    }
  }
}

/**
 * Creates a file for what must not be left behind, such as a heap snapshot before its redaction. It has no name: the system frees it when the
 * process ends, however it ends. It is written and read by path through /proc. Where that is missing (macOS, Windows, a permission model that
 * does not allow it) the file has a partial name, and is removed with the partial files.
 * @param {string} partialPath  must not exist
 * @returns {ScratchFile}
 */
function createScratchFile (partialPath) {
  const fd = openPrivate(partialPath)
  const unnamed = unname(fd, partialPath)
  if (unnamed !== null) return unnamed
  fs.closeSync(fd)
  // Opened again, since it may have lost its name before it turned out to be unusable.
  fs.closeSync(openPrivate(partialPath))
  return { path: partialPath, inode: null, release: () => discard(partialPath) }
}

/** Creates the file before anything writes to it, so that the writer does not choose its mode. @param {string} file */
function openPrivate (file) {
  const fd = fs.openSync(file, 'a', OWNER_ONLY)
  try {
    fs.chmodSync(file, OWNER_ONLY)
    return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/**
 * @param {number} fd
 * @param {string} partialPath
 * @returns {ScratchFile | null} null if it could not be reached any more
 */
function unname (fd, partialPath) {
  const file = `/proc/self/fd/${fd}`
  try {
    if (inodeOf(file) !== inodeOf(partialPath)) return null
    fs.unlinkSync(partialPath)
    // Some network file systems only rename it, or cannot open it again.
    if (fs.fstatSync(fd).nlink > 0) return null
    fs.closeSync(fs.openSync(file, 'r+'))
  } catch {
    return null
  }
  let isOpen = true
  const release = () => {
    if (isOpen) fs.closeSync(fd)
    isOpen = false
  }
  return { path: file, inode: inodeOf(file), release }
}

/** @param {string} file */
function inodeOf (file) {
  const { dev, ino } = fs.statSync(file, { bigint: true })
  return `${dev}:${ino}`
}

module.exports = { reserve }
