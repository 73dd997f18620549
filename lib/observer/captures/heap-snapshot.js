'use strict'

// The kind 'heap-snapshot': made in the store by those who know how, redacted unless the application asked for it as it is.

/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { Product, Tools } from './recorders' */

const CONTENT_TYPE = 'application/json; charset=utf-8'
const EXTENSION = 'heapsnapshot'

/**
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapSnapshot ({ redact, hasPseudonyms = false, force = false }, { instruments, store, appName, trigger, heap, signal, onProgress }) {
  // Code that asks has the heap anyhow; what leaves through a door or waits in a file for whoever finds it has not.
  const mode = redact ?? (trigger === 'api' ? 'off' : 'values')
  const { metadata, ...stored } = await instruments.snapshots.take({ appName, redact: mode, hasPseudonyms, force, ...heap }, { store, signal, onProgress })
  return { stored, extension: EXTENSION, contentType: CONTENT_TYPE, from: metadata.takenAt, to: metadata.takenAt + metadata.pauseMs, shortened: null }
}

module.exports = { recordHeapSnapshot }
