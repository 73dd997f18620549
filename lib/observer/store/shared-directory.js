'use strict'

// Manages the directory that applications share. Each application has a folder in it, signed with its name and how long it keeps artifacts. So any
// application can clear what nobody else would: files of dead writers, artifacts that applications kept beyond their limit because they never
// came back, and files of versions without folders.

const fs = require('node:fs')
const path = require('node:path')
const { attempt } = require('../../base/guard')
const { ageMs } = require('../../base/local-time')
const { RULES_FOLDER, isApplicationFolder } = require('../../shared/store/file-name')
const { listArtifacts, removeArtifact } = require('./artifact-files')
const { ensureDirectory, isOwnDirectory } = require('./directory')
const { removePartialFiles } = require('./atomic-write')
const { readRegularText } = require('../../base/regular-file')

/** @import { Application } from '../../shared/store/file-name' */
/** @import { StoredArtifact } from './artifact-files' */

/** @typedef {Application & { maxAgeMs: number }} Signature */
/** @typedef {{ dir: string, appName: string | null, appRoot: string | null, artifacts: StoredArtifact[] }} ApplicationListing */

const MAX_SIGNATURE_BYTES = 64 * 1024
const SIGNATURE = 'application.json'
const QUEUES = 'egress' // what an application has to send; it touches the folder while it lives
const OWNER_ONLY = 0o600
const DAY_MS = 24 * 60 * 60 * 1000
const EMPTY_AFTER_MS = 60 * 60 * 1000 // no process is about to write to a folder that was last touched so long ago

/**
 * @param {string} dir
 * @param {string} own  folder of the application that is opening, which clears that itself
 * @param {{ now: number, maxAgeMs: number }} limits  maxAgeMs: for unsigned files
 */
function openShared (dir, own, { now, maxAgeMs }) {
  ensureDirectory(dir)
  // What is done for other applications must not fail a capture: another process may be first.
  attempt(() => clear(dir, now, maxAgeMs), undefined)
  for (const folder of foldersIn(dir)) {
    if (folder !== own) attempt(() => clearFolder(folder, now), undefined)
  }
}

/** @param {string} folder @param {Signature} signature */
function sign (folder, signature) {
  const file = path.join(folder, SIGNATURE)
  const text = `${JSON.stringify(signature)}\n`
  attempt(() => {
    if (fs.existsSync(file) && readRegularText(file, { maxBytes: MAX_SIGNATURE_BYTES }) === text) return
    fs.writeFileSync(file, text, { mode: OWNER_ONLY })
    fs.chmodSync(file, OWNER_ONLY)
  }, undefined)
}

/** @param {string} dir @returns {ApplicationListing[]} by name; unsigned ones, of earlier versions, last */
function listShared (dir) {
  const unsigned = { appName: null, appRoot: null }
  const listings = [...foldersIn(dir), dir].map(folder => {
    const { appName, appRoot } = readSignature(folder) ?? unsigned
    return { dir: folder, appName, appRoot, artifacts: listArtifacts(folder) }
  })
  return listings.filter(({ artifacts }) => artifacts.length > 0).sort((a, b) => orderOf(a) < orderOf(b) ? -1 : 1)
}

/** @param {ApplicationListing} listing */
function orderOf ({ dir, appName }) {
  return `${appName === null ? 1 : 0} ${appName} ${dir}`
}

/** @param {string} dir */
function foldersIn (dir) {
  const names = fs.existsSync(dir) ? fs.readdirSync(dir) : []
  return names.filter(isApplicationFolder).map(name => path.join(dir, name)).filter(isOwnDirectory)
}

/** @param {string} folder @param {number} now  milliseconds since the epoch */
function clearFolder (folder, now) {
  const maxAgeMs = readSignature(folder)?.maxAgeMs ?? Infinity
  clear(folder, now, maxAgeMs)
  clearQueues(path.join(folder, QUEUES), now, maxAgeMs)
  const isEmpty = fs.readdirSync(folder).every(name => name === SIGNATURE || (name === RULES_FOLDER && isOlder(path.join(folder, name), DAY_MS, now)))
  if (isEmpty && isOlder(folder, EMPTY_AFTER_MS, now)) fs.rmSync(folder, { recursive: true })
}

/** @param {string} file @param {number} thanMs @param {number} now  milliseconds since the epoch */
function isOlder (file, thanMs, now) {
  return ageMs(fs.statSync(file).mtimeMs, now) > thanMs
}

/**
 * @param {string} queues
 * @param {number} now  milliseconds since the epoch
 * @param {number} maxAgeMs
 */
function clearQueues (queues, now, maxAgeMs) {
  if (!isOwnDirectory(queues)) return
  const files = ['', ...fs.readdirSync(queues, { recursive: true, encoding: 'utf8' })].map(name => path.join(queues, name))
  if (files.every(file => ageMs(fs.lstatSync(file).mtimeMs, now) > maxAgeMs)) fs.rmSync(queues, { recursive: true })
}

/**
 * @param {string} folder
 * @param {number} now  milliseconds since the epoch
 * @param {number} maxAgeMs
 */
function clear (folder, now, maxAgeMs) {
  removePartialFiles(folder, now)
  for (const { name, at } of listArtifacts(folder)) {
    if (ageMs(at, now) > maxAgeMs) removeArtifact(folder, name)
  }
}

/** @param {string} folder @returns {Signature | null} */
function readSignature (folder) {
  try {
    const { appName, appRoot, maxAgeMs } = JSON.parse(readRegularText(path.join(folder, SIGNATURE), { maxBytes: MAX_SIGNATURE_BYTES }))
    const isValid = typeof appName === 'string' && typeof appRoot === 'string' && typeof maxAgeMs === 'number'
    return isValid ? { appName, appRoot, maxAgeMs } : null
  } catch {
    return null
  }
}

module.exports = { openShared, listShared, sign }
