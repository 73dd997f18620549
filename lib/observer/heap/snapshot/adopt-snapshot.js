'use strict'

// Takes a heap snapshot that V8 wrote on its own, such as near its heap limit, into the store: verified, redacted, private; the
// file it was made from goes. It may be done by the next process: the one that wrote it is usually dead.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const { CANARY_CLASS } = require('../../../shared/heap/canaries')
const { findCanaries } = require('../redaction/find-canaries')
const { redactSnapshot } = require('../redaction/redact')
const { verifySnapshot } = require('../redaction/verify')

/** @import { SnapshotStore } from './snapshot-job' */

/**
 * @param {string} file
 * @param {object} how
 * @param {SnapshotStore} how.store
 * @param {string} how.appName
 * @param {'values' | 'strict'} [how.redact]
 * @param {AbortSignal} [how.signal]
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
    // Nothing of the process that wrote it is known, so there is nothing to compare its names with.
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

module.exports = { adoptSnapshot }
