'use strict'

// A place for a file that somebody else writes, such as V8: two empty private files under partial names, one for what is
// kept and one for what must not be. It becomes an artifact with its sidecar, or nothing. It does not look into either.

const fs = require('node:fs')
const path = require('node:path')
const { discard, openFile, sync, writeAtomically } = require('./atomic-write')
const { syncDirectory } = require('./directory')
const { isOutOfRoom, toStoreError } = require('./failure')
const { createScratchName, sidecarOf } = require('./file-name')
const { createPartialName } = require('./left-over')

const OWNER_ONLY = 0o600

/**
 * @typedef {object} Reservation
 * @property {string} name  of the artifact to be
 * @property {string} partialPath  to be filled with what is kept
 * @property {string} scratchPath  for what goes in any case
 * @property {(metadata: object) => { name: string, path: string, bytes: number }} commit
 * @property {(error: unknown) => unknown} explain  what went wrong for who filled it: a full disk is the store's own error
 * @property {() => void} abandon  does nothing after commit(); once more when somebody may still have been writing
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
  const scratchPath = path.join(dir, createPartialName(createScratchName(file.name)))
  try {
    // It exists before anybody writes to it, so its mode is not left to who does.
    for (const one of [file.partialPath, scratchPath]) makePrivate(one)
  } catch (error) {
    discard(file.partialPath)
    throw error
  }
  return new Place({ dir, name: file.name, partialPath: file.partialPath, scratchPath, expectedBytes, onCommit })
}

/** @param {string} file */
function makePrivate (file) {
  fs.closeSync(fs.openSync(file, 'a', OWNER_ONLY))
  fs.chmodSync(file, OWNER_ONLY)
}

class Place {
  #dir
  #expectedBytes
  #onCommit
  #isKept = false

  /** @param {{ dir: string, expectedBytes: number, onCommit: (name: string) => void } & Pick<Reservation, 'name' | 'partialPath' | 'scratchPath'>} place */
  constructor ({ dir, expectedBytes, onCommit, name, partialPath, scratchPath }) {
    this.#dir = dir
    this.#expectedBytes = expectedBytes
    this.#onCommit = onCommit
    this.name = name
    this.partialPath = partialPath
    this.scratchPath = scratchPath
  }

  /** @param {object} metadata */
  commit (metadata) {
    try {
      const bytes = this.#settle()
      const artifact = { name: this.name, path: path.join(this.#dir, this.name), bytes }
      // First: an artifact that can be seen has its sidecar. A sidecar alone is a left-over.
      writeAtomically(this.#dir, () => sidecarOf(this.name), Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`))
      fs.renameSync(this.partialPath, artifact.path)
      syncDirectory(this.#dir)
      this.#isKept = true
      this.#onCommit(this.name)
      return artifact
    } catch (error) {
      this.abandon()
      throw toStoreError(error, this.#dir)
    }
  }

  /** @param {unknown} error */
  explain (error) {
    return isOutOfRoom(error) ? toStoreError(error, this.#dir, this.#expectedBytes) : error
  }

  abandon () {
    if (this.#isKept) return
    for (const file of [this.scratchPath, this.partialPath, path.join(this.#dir, sidecarOf(this.name))]) discard(file)
  }

  /** The scratch file goes before the other can be seen: it holds what was to be left out. */
  #settle () {
    discard(this.scratchPath)
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

module.exports = { reserve }
