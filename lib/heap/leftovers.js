'use strict'

// What V8 left near the heap limit of processes that are dead: taken into the store, snapshots redacted, the originals removed.
// Only files of this user, with V8's own names, in the folder where V8 puts them.

const fs = require('node:fs')
const path = require('node:path')
const { isHeapProfile } = require('../formats/heap-profile-diff')
const { adoptSnapshot } = require('./adopt-snapshot')

const NAME = /^Heap\.\d{8}\.\d{6}\.(\d+)\.\d+\.\d+\.(heapsnapshot|heapprofile)$/
const MAX_PROFILE_BYTES = 64 * 1024 ** 2
const OWNER_ONLY = 0o600

/**
 * @typedef {{ file: string, path: string } | { file: string, problem: string }} Adopted
 *
 * @param {string} folder
 * @param {{ store: any, appName: string }} how
 * @returns {Promise<Adopted[]>}
 */
async function adoptLeftovers (folder, how) {
  const adopted = []
  for (const { file, kind } of list(folder).filter(({ pid }) => !isAlive(pid))) {
    try {
      const { path: kept } = kind === 'heapsnapshot' ? await adoptSnapshot(file, how) : adoptProfile(file, how)
      adopted.push({ file, path: kept })
    } catch (error) {
      adopted.push({ file, problem: /** @type {Error} */ (error).message })
    }
  }
  return adopted
}

/**
 * V8 may write a snapshot that others can read: it holds everything.
 * @param {string} folder
 * @param {number} pid  of the process that is writing
 */
function makePrivate (folder, pid) {
  for (const { file } of list(folder).filter(one => one.pid === pid)) fs.chmodSync(file, OWNER_ONLY)
}

/** @param {string} folder */
function list (folder) {
  return fs.readdirSync(folder).flatMap(name => {
    const [, pid, kind] = NAME.exec(name) ?? []
    const file = path.join(folder, name)
    return kind !== undefined && isOurs(file) ? [{ file, kind, pid: Number(pid) }] : []
  })
}

/** @param {string} file */
function isOurs (file) {
  const facts = fs.lstatSync(file, { throwIfNoEntry: false })
  return facts !== undefined && facts.isFile() && (process.getuid === undefined || facts.uid === process.getuid())
}

/** @param {number} pid */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (/** @type {any} */ error) {
    return error.code === 'EPERM'
  }
}

/**
 * @param {string} file
 * @param {{ store: any, appName: string }} how
 */
function adoptProfile (file, { store, appName }) {
  const { size, mtimeMs } = fs.statSync(file)
  if (size > MAX_PROFILE_BYTES) throw new Error(`it has ${size} bytes, at most ${MAX_PROFILE_BYTES} were expected`)
  const bytes = fs.readFileSync(file)
  if (!isHeapProfile(JSON.parse(bytes.toString('utf8')))) throw new Error('it is not a whole heap profile')
  const kept = store.write({ kind: 'heap-profile', extension: 'heapprofile', at: Math.round(mtimeMs), appName, bytes })
  fs.unlinkSync(file)
  return kept
}

module.exports = { adoptLeftovers, makePrivate }
