'use strict'

// Keeps the artifacts of an application as private files in one folder, within limits of count, bytes, age and free disk space. Synchronous, for the
// observer thread, where a write blocks no requests. It does not read the contents of artifacts.

const path = require('node:path')
const { sum } = require('../../base/sums')
const { errors } = require('../../base/errors')
const { assertKnownKeys, assertPlainObject, assertString, refuse } = require('../../base/validate')
const { applicationFolder, createFileName, parseFileName } = require('../../shared/store/file-name')
const { listArtifacts, listKept, readMetadata, removeArtifact, writeMetadata } = require('./artifact-files')
const { writeAtomically, removePartialFiles } = require('./atomic-write')
const { defaultDir } = require('../../shared/store/defaults')
const { ensureDirectory, isInMemory, readFreeBytes, toStoreError } = require('./directory')
const { reserve } = require('./reservation')
const { chooseEvictions, createLimits } = require('./retention')
const { listShared, openShared, sign } = require('./shared-directory')

/** @import { RetentionOptions } from '../../../types/diagnostics' */
/** @import { Application } from '../../shared/store/file-name' */
/** @import { StoredArtifact } from './artifact-files' */
/** @import { Eviction, EvictionReason } from './retention' */

/**
 * @typedef {object} StoreOptions
 * @property {string} [dir]
 * @property {Application} [application]  has a folder of its own in the directory; without it the store uses the directory itself
 * @property {RetentionOptions} [retention]
 * @property {() => number} [now]
 */
/** @typedef {{ kind: string, extension: string, at: number, appName: string, bytes: Uint8Array, metadata?: object | null }} NewArtifact
 * metadata: stored beside it */
/** @typedef {Omit<NewArtifact, 'bytes' | 'metadata'> & { bytesNeeded: number, scratchBytes?: number }} NewReservation */

/** @param {StoreOptions} [options] @returns {Store} */
function createStore (options = {}) {
  assertPlainObject('options', options)
  assertKnownKeys('options', options, ['dir', 'application', 'retention', 'now'])
  const { dir = defaultDir(), application = null, retention, now = Date.now } = options
  assertString('options.dir', dir)
  return new Store(path.resolve(dir), application, createLimits(retention), now)
}

class Store {
  #shared
  #application
  #dir
  #limits
  #now
  #sequence = 0
  /** @type {Record<EvictionReason, number>} */
  #evictions = { count: 0, bytes: 0, age: 0, disk: 0 }

  /**
   * @param {string} dir
   * @param {Application | null} application
   * @param {Readonly<Required<RetentionOptions>>} limits
   * @param {() => number} now
   */
  constructor (dir, application, limits, now) {
    this.#shared = dir
    this.#application = application
    this.#dir = application === null ? dir : applicationFolder(dir, application)
    this.#limits = limits
    this.#now = now
  }

  get dir () { return this.#dir }

  /** Creates the directory and removes unfinished files of dead processes; throws if captures could not be kept. */
  prepare () {
    this.#coded(() => this.#open())
  }

  /** @param {NewArtifact} artifact @returns {{ name: string, path: string, bytes: number }} */
  write ({ bytes, metadata = null, ...facts }) {
    if (!(bytes instanceof Uint8Array)) refuse('artifact.bytes', 'a Buffer', bytes)
    const written = this.#coded(() => {
      this.#open()
      this.#makeRoom(bytes.length)
      const artifact = writeAtomically(this.#dir, () => this.#nextName(facts), bytes)
      if (metadata !== null) this.#writeBeside(artifact.name, metadata)
      return artifact
    }, bytes.length)
    this.#retain(written.name)
    return { ...written, bytes: bytes.length }
  }

  /**
   * Reserves space for a file that is written in place. bytesNeeded is its expected size: it may become larger or smaller.
   * @param {NewReservation} wanted  scratchBytes: additional space while it is written
   * @returns {import('./reservation').Reservation}
   */
  reserve ({ bytesNeeded, scratchBytes = 0, ...facts }) {
    return this.#coded(() => {
      this.#open()
      this.#makeRoom(bytesNeeded, scratchBytes)
      return reserve(this.#dir, () => this.#nextName(facts), {
        expectedBytes: bytesNeeded + scratchBytes,
        onCommit: name => this.#retain(name)
      })
    }, bytesNeeded + scratchBytes)
  }

  /** @returns {{ dir: string, bytes: number, maxBytes: number, isMemory: boolean }} what could be written if older artifacts are removed */
  room () {
    return this.#coded(() => {
      this.#open()
      const keptBytes = sum(listKept(this.#dir), ({ bytes }) => bytes)
      const bytes = Math.max(0, readFreeBytes(this.#dir) + keptBytes - this.#limits.minFreeBytes)
      return { dir: this.#dir, bytes, maxBytes: this.#limits.maxBytes, isMemory: isInMemory(this.#dir) }
    })
  }

  /** @param {string} name @returns {Record<string, any> | null} the metadata of an artifact; null if it has none */
  metadata (name) {
    if (parseFileName(name) === null) return null
    return readMetadata(this.#dir, name)
  }

  /** @returns {StoredArtifact[]} newest first; only of this application */
  list () {
    return this.#coded(() => listArtifacts(this.#dir))
  }

  /** The artifacts of all applications that share the directory, for this user only. */
  listAll () {
    return this.#coded(() => listShared(this.#shared))
  }

  /** @param {string} name @returns {boolean} false if there is no such artifact */
  remove (name) {
    if (parseFileName(name) === null) return false
    return this.#coded(() => removeArtifact(this.#dir, name))
  }

  /** @returns {Record<EvictionReason, number>} artifacts removed to keep the limits, since the store was created */
  evictions () {
    return { ...this.#evictions }
  }

  /** Called before each write: cleaners of temporary directories remove a directory that is idle for days, and processes die at any time. */
  #open () {
    const now = this.#now()
    const { maxAgeMs } = this.#limits
    if (this.#application !== null) openShared(this.#shared, this.#dir, { now, maxAgeMs })
    ensureDirectory(this.#dir)
    removePartialFiles(this.#dir, now)
    if (this.#application !== null) sign(this.#dir, { ...this.#application, maxAgeMs })
  }

  /**
   * Refuses what cannot fit. Older artifacts are removed only if that frees enough space.
   * @param {number} bytes
   * @param {number} [scratchBytes]  freed when the artifact is complete
   */
  #makeRoom (bytes, scratchBytes = 0) {
    const { maxBytes, minFreeBytes } = this.#limits
    if (bytes > maxBytes) {
      throw new errors.ERR_LOOPSCOPE_STORE_FULL(bytes, this.#dir, `retention.maxBytes is ${maxBytes}`)
    }
    const freeBytes = readFreeBytes(this.#dir)
    const freeAfter = freeBytes - bytes - scratchBytes
    if (freeAfter >= minFreeBytes) return
    const evictions = chooseEvictions(listKept(this.#dir), this.#limits, { now: this.#now(), freeBytes: freeAfter })
    const gained = sum(evictions, eviction => eviction.bytes)
    if (freeAfter + gained < minFreeBytes) {
      throw new errors.ERR_LOOPSCOPE_STORE_FULL(bytes + scratchBytes, this.#dir,
        `${freeBytes} bytes are free, and retention.minFreeBytes wants ${minFreeBytes} to be left`)
    }
    this.#evict(evictions)
  }

  /** Keeps an artifact with its metadata, or not at all. @param {string} name @param {object} metadata */
  #writeBeside (name, metadata) {
    try {
      writeMetadata(this.#dir, name, metadata)
    } catch (error) {
      removeArtifact(this.#dir, name)
      throw error
    }
  }

  /** @param {string} keep  name of the artifact just written */
  #retain (keep) {
    try {
      const now = this.#now()
      const facts = { now, freeBytes: readFreeBytes(this.#dir), partialBytes: removePartialFiles(this.#dir, now), keep }
      this.#evict(chooseEvictions(listKept(this.#dir), this.#limits, facts))
    } catch {} // the artifact is safe: the next write tries again
  }

  /** @param {Eviction[]} evictions */
  #evict (evictions) {
    for (const { name, reason } of evictions) {
      try {
        // Another process that shares the directory may have been first; then it has counted.
        if (removeArtifact(this.#dir, name)) this.#evictions[reason]++
      } catch {} // held open by a reader on Windows: the next write tries again
    }
  }

  /** @param {Omit<NewArtifact, 'bytes' | 'metadata'>} facts */
  #nextName (facts) {
    return createFileName({ ...facts, pid: process.pid, sequence: ++this.#sequence })
  }

  /** @template T @param {() => T} work @param {number} [bytes] @returns {T} */
  #coded (work, bytes) {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, this.#dir, bytes)
    }
  }
}

module.exports = { createStore }
