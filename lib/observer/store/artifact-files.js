'use strict'

// Lists, reads and removes the artifacts in one folder, as files. It decides nothing, and leaves files that are not artifacts alone.

const fs = require('node:fs')
const path = require('node:path')
const { discard, writeAtomically } = require('./atomic-write')
const { parseFileName, sidecarOf } = require('../../shared/store/file-name')
const { attempt } = require('../../base/guard')
const { readRegularText } = require('../../base/regular-file')

const MAX_METADATA_BYTES = 16 * 1024 * 1024

/** @typedef {{ name: string, path: string, bytes: number, at: number, kind: string }} StoredArtifact */

/**
 * @param {string} dir  may be missing
 * @returns {StoredArtifact[]} newest first
 */
function listArtifacts (dir) {
  const artifacts = namesIn(dir).flatMap(name => readArtifact(dir, name) ?? [])
  return artifacts.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
}

/** The same list with the sizes that retention counts: a sidecar is a part of its artifact. @param {string} dir */
function listKept (dir) {
  return listArtifacts(dir).map(artifact => {
    const sidecar = fs.lstatSync(sidecarOf(artifact.path), { throwIfNoEntry: false })
    return { ...artifact, bytes: artifact.bytes + (sidecar?.size ?? 0) }
  })
}

/** @param {string} dir */
function namesIn (dir) {
  try {
    return fs.readdirSync(dir)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** @param {string} dir @param {string} name @returns {StoredArtifact | null} */
function readArtifact (dir, name) {
  const facts = parseFileName(name)
  if (facts === null) return null
  const file = path.join(dir, name)
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  return stats?.isFile() ? { name, path: file, bytes: stats.size, at: facts.at, kind: facts.kind } : null
}

/**
 * @param {string} dir
 * @param {string} name  of an artifact
 * @returns {Record<string, any> | null} the metadata of its sidecar; null if it has none
 */
function readMetadata (dir, name) {
  return attempt(() => JSON.parse(readRegularText(path.join(dir, sidecarOf(name)), { maxBytes: MAX_METADATA_BYTES })), null)
}

/**
 * @param {string} dir
 * @param {string} name  of an artifact
 * @param {object} metadata  written to its sidecar
 */
function writeMetadata (dir, name, metadata) {
  writeAtomically(dir, () => sidecarOf(name), Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`))
}

/**
 * @param {string} dir
 * @param {string} name  of an artifact
 * @returns {boolean} false if it was already gone
 */
function removeArtifact (dir, name) {
  try {
    fs.unlinkSync(path.join(dir, name))
    discard(path.join(dir, sidecarOf(name)))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** @param {unknown} error */
function isMissing (error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT'
}

module.exports = { listArtifacts, listKept, readMetadata, removeArtifact, writeMetadata }
