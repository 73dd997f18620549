'use strict'

// Captures: everything that is recorded for somebody goes through here. The kind records and encodes, the store keeps. It runs in
// the observer thread, so that it works while the main thread is stuck. The sources and the stores are given to it.

const { errors } = require('../../shared/base/errors')
const { KINDS } = require('../../shared/captures/kinds')
const { RECORDERS } = require('./recorders')

/** @import { ArtifactFacts, RetentionOptions, Trigger } from '../../../types/diagnostics' */
/** @import { WorkLine } from '../../../types/profile' */
/** @import { NewArtifact } from '../store/store' */
/** @import { createMarks } from '../../shared/marks/marks' */
/** @import { HeapProfile } from '../../shared/formats/heap-profile' */
/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { CaptureSources, Tools } from './recorders' */

/**
 * @typedef {object} Order  what to capture, for whom and where to
 * @property {CaptureRequest} request
 * @property {Trigger} trigger
 * @property {string} appName
 * @property {string} appRoot
 * @property {string} dir
 * @property {Required<RetentionOptions>} retention
 * @property {Tools['heap']} heap
 * @property {boolean} [wantsHot]  the answer says what was hot in a CPU profile
 *
 * @typedef {ArtifactFacts & { hot?: string[], heapProfile?: HeapProfile }} CapturedFacts  heapProfile: for a rule, which may send it
 *
 * @typedef {Pick<Order, 'dir' | 'retention' | 'appName' | 'appRoot'>} StoreLocation
 *   where artifacts are kept: each application has a store of its own
 *
 * @typedef {object} Store
 * @property {(artifact: NewArtifact) => { name: string, path: string, bytes: number }} write
 * @property {Function} reserve  room for a file that is written there
 * @property {Function} room
 *
 * @typedef {object} CaptureControls  of one capture, for whoever asked for it
 * @property {AbortSignal} signal  cancels it
 * @property {AbortSignal} [stop]  ends the recording early, and keeps what there is
 * @property {Tools['onProgress']} [onProgress]
 */

/**
 * @param {object} parts
 * @param {CaptureSources} parts.sources
 * @param {typeof import('../report-sections').reportSections} [parts.reportSections]
 * @param {() => WorkLine[]} [parts.workLines]  of stalls
 * @param {Pick<ReturnType<typeof createMarks>, 'around'>} [parts.marks]
 * @param {(location: StoreLocation) => Store} parts.storeAt
 */
function createCaptures ({ sources, storeAt, reportSections = () => ({ sections: [], lines: [] }), workLines = () => [], marks: known = { around: () => [] } }) {
  /**
   * @param {Order} order
   * @param {CaptureControls} controls
   * @returns {Promise<CapturedFacts>}
   */
  async function run (order, controls) {
    const { request: { kind, format }, trigger, appName } = order
    const store = storeAt(order)
    const product = await recordOrCancel(order, { store, ...controls })
    const { contentType, extension, from, to, shortened, hot, heapProfile } = product
    const marks = known.around(from, to)
    const { name, path, bytes } = 'stored' in product
      ? product.stored
      : store.write({ kind, extension, at: Date.now(), appName, bytes: product.bytes, metadata: marks.length > 0 ? { marks } : null })
    return { kind, format, trigger, name, path, bytes, contentType, from, to, shortened, marks, ...(hot && { hot }), ...(heapProfile && { heapProfile }) }
  }

  /**
   * @param {Order} order
   * @param {CaptureControls & { store: Store }} controls
   */
  async function recordOrCancel ({ request, trigger, appName, appRoot, heap, wantsHot = false }, { store, signal, stop, onProgress = () => {} }) {
    const { title } = KINDS[request.kind]
    try {
      return await RECORDERS[request.kind](request, {
        sources,
        store,
        appName,
        trigger,
        heap,
        wantsHot,
        signal,
        stop,
        onProgress,
        marks: known,
        context: { appRoot, title: `${title} of ${appName} (pid ${process.pid})`, lines: workLines() },
        reportSections: profile => reportSections(profile, appRoot, workLines())
      })
    } catch (error) {
      if (signal.aborted) throw new errors.ERR_LOOPSCOPE_CAPTURE_CANCELLED(request.kind, String(signal.reason))
      throw error
    }
  }

  return { run }
}

module.exports = { createCaptures }
