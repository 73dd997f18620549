'use strict'

// The kind 'heap-snapshot': written into the store, redacted unless the application's own code asked for it as it is.

/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { Product, Tools } from './recorders' */

const CONTENT_TYPE = 'application/json; charset=utf-8'
const EXTENSION = 'heapsnapshot'

/**
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapSnapshot (request, { sources, store, appName, trigger, heap, signal, onProgress, marks }) {
  const { redact, hasPseudonyms = false, force = false } = request
  // The application's own code can read the heap anyhow; who downloads a snapshot, or finds its file, cannot.
  const mode = redact ?? (trigger === 'api' ? 'off' : 'values')
  const order = { appName, redact: mode, hasPseudonyms, force, ...heap }
  const { metadata, ...stored } = await sources.snapshots.take(order, { store, signal, onProgress, marks })
  const { takenAt, pauseMs } = metadata
  return { stored, extension: EXTENSION, contentType: CONTENT_TYPE, from: takenAt, to: takenAt + pauseMs, shortened: null }
}

module.exports = { recordHeapSnapshot }
