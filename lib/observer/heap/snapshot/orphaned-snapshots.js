'use strict'

// Moves files that V8 wrote near the heap limit of dead processes into the store: snapshots are redacted, the originals removed. An application's
// own snapshots have the same names, so it takes only what a process with a mark (shared/heap/near-limit-mark.js) wrote just before its
// death.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { findCanaries, verifySnapshot } = require('../redaction/verify')
const { redactSnapshot } = require('../redaction/redact')
const { readRegularFile } = require('../../../base/regular-file')
const { isHeapProfile } = require('../../../formats/profile/heap-tree')
const { CANARY_CLASS } = require('../../../shared/heap/canaries')
const { TOUCH_MS, pidOfMark, readMark } = require('../../../shared/heap/near-limit-mark')
const { isAlive } = require('../../../base/system/process-ids')

/** @import { SnapshotStore } from './snapshot-job' */

const NAME = /^Heap\.\d{8}\.\d{6}\.(\d+)\.\d+\.\d+\.(heapsnapshot|heapprofile)$/
const MAX_PROFILE_BYTES = 64 * 1024 ** 2
const OWNER_ONLY = 0o600
const MAX_BEFORE_DEATH_MS = 3 * TOUCH_MS // a busy process may touch its mark late

/** @typedef {{ file: string, path: string } | { file: string, problem: string }} Adopted */

/**
 * @param {string} dir  the directory of the store
 * @param {{ store: any, appName: string }} how
 * @returns {Promise<Adopted[]>}
 */
async function adoptOrphans (dir, how) {
  const adopted = []
  for (const name of fs.readdirSync(dir)) {
    const pid = pidOfMark(name)
    if (pid === null || isAlive(pid)) continue
    const { folder, diedAtMs } = readMark(path.join(dir, name))
    for (const { file, kind, mtimeMs } of list(folder, pid)) {
      if (mtimeMs > diedAtMs - MAX_BEFORE_DEATH_MS) adopted.push(await adopt(file, kind, how))
    }
    fs.rmSync(path.join(dir, name), { force: true })
  }
  return adopted
}

/**
 * @param {string} file
 * @param {string} kind
 * @param {{ store: any, appName: string }} how
 * @returns {Promise<Adopted>}
 */
async function adopt (file, kind, how) {
  try {
    const kept = kind === 'heapsnapshot' ? await adoptSnapshot(file, how) : adoptProfile(file, how)
    return { file, path: kept.path }
  } catch (error) {
    return { file, problem: /** @type {Error} */ (error).message }
  }
}

/**
 * Moves a heap snapshot that V8 wrote by itself into the store: verified, redacted, private; the original is removed. Usually the next process
 * does this, since the one that wrote it is dead.
 * @param {string} file
 * @param {{ store: SnapshotStore, appName: string, redact?: 'values' | 'strict', signal?: AbortSignal }} how
 * @returns {Promise<{ name: string, path: string, bytes: number, metadata: object }>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT: the process was killed while V8 wrote it; ERR_LOOPSCOPE_STORE_FULL
 */
async function adoptSnapshot (file, { store, appName, redact: mode = 'values', signal }) {
  const { size, mtimeMs } = fs.statSync(file)
  const { nodes, edges, strings, classIndex } = await verifySnapshot(file, { className: CANARY_CLASS, signal })
  const canaryIds = await findCanaries(file, classIndex, { signal })
  const at = Math.round(mtimeMs)
  const reservation = store.reserve({ kind: 'heap-snapshot', extension: 'heapsnapshot', at, appName, bytesNeeded: size, scratchBytes: 0 })
  try {
    // Nothing is available of the process that wrote it, so there are no names to compare with.
    const redacted = await redactSnapshot(file, reservation.partialPath, { mode, nameKey: randomBytes(32), signal })
    const metadata = { takenAt: at, nodes, edges, strings, canaryIds, redaction: { mode, ...redacted } }
    const kept = { ...reservation.commit(metadata), metadata }
    fs.unlinkSync(file)
    return kept
  } catch (error) {
    throw reservation.explain(error)
  } finally {
    reservation.abandon()
  }
}

/** @param {string} file @param {{ store: any, appName: string }} how */
function adoptProfile (file, { store, appName }) {
  const { mtimeMs } = fs.statSync(file)
  const bytes = readRegularFile(file, { maxBytes: MAX_PROFILE_BYTES })
  if (!isHeapProfile(JSON.parse(bytes.toString('utf8')))) throw new Error('it is not a whole heap profile')
  const kept = store.write({ kind: 'heap-profile', extension: 'heapprofile', at: Math.round(mtimeMs), appName, bytes })
  fs.unlinkSync(file)
  return kept
}

/**
 * Makes V8's snapshots private: V8 may write them readable for others, and they contain everything.
 * @param {string} folder
 * @param {number} pid  of the writing process
 */
function makePrivate (folder, pid) {
  for (const { file } of list(folder, pid)) fs.chmodSync(file, OWNER_ONLY)
}

/** @param {string} folder @param {number} wanted  pid */
function list (folder, wanted) {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  return names.flatMap(name => {
    const [, pid, kind] = NAME.exec(name) ?? []
    if (Number(pid) !== wanted) return []
    const file = path.join(folder, name)
    const facts = fs.lstatSync(file, { throwIfNoEntry: false })
    if (!facts?.isFile() || (process.getuid !== undefined && facts.uid !== process.getuid())) return []
    return [{ file, kind, mtimeMs: facts.mtimeMs }]
  })
}

module.exports = { adoptOrphans, adoptSnapshot, makePrivate }
