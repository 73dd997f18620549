'use strict'

// Runs captures: records and encodes by kind, and writes to the store. It runs in the observer thread, so that it works while the main thread is
// stuck. The sources and the stores are passed in.

const { errors } = require('../base/errors')
const { monotonicMicros, toEpochMs } = require('../base/monotonic')
const { KINDS } = require('../shared/captures/kinds')
const { FORMATS, HISTOGRAM_FORMATS, HEAP_FORMATS } = require('../formats/formats')
const { onlyRoute } = require('../formats/profile/only-route')

/** @import { HeapSampler } from './heap/sampler' */
/** @import { View } from './recorder/views' */
/** @import { CaptureRequest } from '../shared/captures/kinds' */
/** @import { HeapHistogram, HeapProfile } from '../formats/formats' */
/** @import { Marks } from '../shared/marks' */
/** @import { SourceMaps } from '../source-maps/source-maps' */
/** @import { NewArtifact } from './store/store' */
/** @import { ArtifactFacts, CaptureKind, RetentionOptions, Trigger } from '../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext, WorkLine } from '../../types/profile' */

/**
 * @typedef {object} Order  what to capture, for which application and into which store
 * @property {CaptureRequest} request
 * @property {Trigger} trigger
 * @property {string} appName
 * @property {string} appRoot
 * @property {string} dir
 * @property {Required<RetentionOptions>} retention
 * @property {{ engine: 'built-in' | 'heapdump', maxPauseMs: number }} heap  options
 * @property {boolean} [wantsHot]  the answer lists what was hot in a CPU profile
 *
 * @typedef {ArtifactFacts & { hot?: string[], heapProfile?: HeapProfile }} CapturedFacts  heapProfile: for a rule, which may send it
 *
 * @typedef {Pick<Order, 'dir' | 'retention' | 'appName' | 'appRoot'>} StoreLocation
 *   where artifacts are kept: each application has a store of its own
 *
 * @typedef {object} Store
 * @property {(artifact: NewArtifact) => { name: string, path: string, bytes: number }} write
 * @property {Function} reserve  space for a file that is written there
 * @property {Function} room
 *
 * @typedef {object} CaptureControls  how the caller controls a capture
 * @property {AbortSignal} signal  cancels it
 * @property {AbortSignal} [stop]  ends the recording early and keeps what was recorded
 * @property {(progress: { stage: string, bytes?: number }) => void} [onProgress]
 */

/**
 * @typedef {object} CaptureSources  where recordings come from
 * @property {{ view (wanted: { fromMicros: number, toMicros: number, threads?: boolean }, signal?: AbortSignal, stop?: AbortSignal): Promise<View> }} views
 * @property {Pick<SourceMaps, 'profile' | 'heapSampling'>} sourceMaps
 * @property {{ take (order: any, tools: any): Promise<{ name: string, path: string, bytes: number, metadata: any }> }} snapshots
 * @property {Pick<HeapSampler, 'sample'>} heapSampler
 * @property {{ take (signal?: AbortSignal): Promise<HeapHistogram> }} heapHistogram
 *
 * @typedef {Required<Pick<Order, 'appName' | 'trigger' | 'heap' | 'wantsHot'>> & CaptureControls & Required<Pick<CaptureControls, 'onProgress'>> & OwnTools} Tools
 *   what one capture works with
 *
 * @typedef {object} OwnTools
 * @property {CaptureSources} sources
 * @property {Store} store
 * @property {Pick<EncodeContext, 'appRoot' | 'title' | 'lines'>} context
 * @property {Pick<Marks, 'around'>} marks  of the process
 * @property {(profile: CpuProfile) => Pick<EncodeContext, 'sections' | 'lines'>} reportSections
 *   what a text report shows of a profile besides its functions
 *
 * @typedef {{ extension: string, contentType: string } & Pick<ArtifactFacts, 'from' | 'to' | 'shortened'> & { hot?: string[], heapProfile?: HeapProfile }} ProductFacts
 * @typedef {ProductFacts & ({ bytes: Buffer } | { stored: { name: string, path: string, bytes: number } })} Product
 *   either bytes for the store, or a file that was written into the store directly
 */

/** The recorder of each kind (shared/captures/kinds.js). @type {Readonly<Record<CaptureKind, (request: CaptureRequest, tools: Tools) => Promise<Product>>>} */
const RECORDERS = Object.freeze({
  cpu: recordCpu,
  'heap-snapshot': recordHeapSnapshot,
  'heap-profile': recordHeapProfile,
  'heap-histogram': recordHeapHistogram
})

const SNAPSHOT_CONTENT_TYPE = 'application/json; charset=utf-8'
const SNAPSHOT_EXTENSION = 'heapsnapshot'

/**
 * @param {object} parts
 * @param {CaptureSources} parts.sources
 * @param {typeof import('./report-sections').reportSections} [parts.reportSections]
 * @param {() => WorkLine[]} [parts.workLines]  of stalls
 * @param {Pick<Marks, 'around'>} [parts.marks]
 * @param {(location: StoreLocation) => Store} parts.storeAt
 */
function createCaptures ({ sources, storeAt, reportSections = () => ({ sections: [], lines: [] }), workLines = () => [], marks: known = { around: () => [] } }) {
  /** @param {Order} order @param {CaptureControls} controls @returns {Promise<CapturedFacts>} */
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

  /** @param {Order} order @param {CaptureControls & { store: Store }} controls */
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

/**
 * Encodes a view of the recorder's windows. It starts nothing.
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordCpu ({ lastSeconds = 0, seconds = 0, format, sources: places, route, threads }, { sources, signal, stop, context, reportSections, wantsHot }) {
  // Whole microseconds, as V8 writes them: deltas with fractions do not add up exactly.
  const now = Math.round(monotonicMicros())
  const wanted = { fromMicros: now - Math.round(lastSeconds * 1e6), toMicros: now + Math.round(seconds * 1e6), threads }
  const { profile: whole, fromMicros, toMicros, isShortened, notes: missing = [] } = await sources.views.view(wanted, signal, stop)
  const { profile, notes: ofRoute } = onlyRoute(whole, route)
  const notes = [...missing, ...ofRoute]
  const wantedSeconds = roundSeconds(lastSeconds + seconds)
  const shortened = isShortened && !stop?.aborted ? { wantedSeconds, gotSeconds: roundSeconds((toMicros - fromMicros) / 1e6) } : null
  const { extension, contentType, sources: usualPlaces, encode } = FORMATS[/** @type {keyof typeof FORMATS} */ (format)]
  const shown = (places ?? usualPlaces) === 'original' ? await sources.sourceMaps.profile(profile, { isAsked: true }) : profile
  if (shortened !== null) notes.unshift(`${shortened.gotSeconds} s of the ${wantedSeconds} s asked for: the recorder held no more`)
  const found = usualPlaces === 'original' ? reportSections(shown) : {}
  const bytes = encode(shown, { ...context, startedAt: toEpochMs(fromMicros), notes, ...found })
  const hot = wantsHot ? require('../formats/text').hotLines(await sources.sourceMaps.profile(profile, { isAsked: true }), context) : undefined
  return { bytes, extension, contentType, from: toEpochMs(fromMicros), to: toEpochMs(toMicros), shortened, hot }
}

/** @param {number} seconds */
function roundSeconds (seconds) {
  return Math.round(seconds * 100) / 100
}

/**
 * Encodes sampled allocations by stack. One sampler serves all readers.
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapProfile ({ mode = 'live', seconds = 0, format, sources: places }, { sources, trigger, signal, stop, context, onProgress }) {
  onProgress({ stage: 'sampling' })
  const sampling = await sources.heapSampler.sample({ mode, seconds: seconds === 0 ? null : seconds }, signal, stop)
  const { extension, contentType, sources: usualPlaces, encode } = HEAP_FORMATS[/** @type {keyof typeof HEAP_FORMATS} */ (format)]
  const isWritten = (places ?? usualPlaces) === 'original'
  const isOfRule = trigger === 'rule' // it may send the profile to a backend that takes profiles and no files
  const written = isWritten || isOfRule ? await sources.sourceMaps.heapSampling(sampling, { isAsked: true }) : sampling
  const bytes = encode({ ...(isWritten ? written : sampling), mode }, context)
  const heapProfile = isOfRule ? { ...written, mode } : undefined
  return { bytes, extension, contentType, from: sampling.fromMs, to: sampling.toMs, shortened: null, heapProfile }
}

/**
 * Writes a heap snapshot into the store, redacted unless the application's own code requests it unredacted.
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapSnapshot (request, { sources, store, appName, trigger, heap, signal, onProgress, marks }) {
  const { redact, hasPseudonyms = false, force = false } = request
  // The application's own code can read the heap anyway; a person who downloads a snapshot, or finds its file, cannot.
  const mode = redact ?? (trigger === 'api' ? 'off' : 'values')
  const order = { appName, redact: mode, hasPseudonyms, force, ...heap }
  const { metadata, ...stored } = await sources.snapshots.take(order, { store, signal, onProgress, marks })
  const { takenAt, pauseMs } = metadata
  return { stored, extension: SNAPSHOT_EXTENSION, contentType: SNAPSHOT_CONTENT_TYPE, from: takenAt, to: takenAt + pauseMs, shortened: null }
}

/**
 * Counts the objects of each constructor.
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapHistogram ({ format }, { sources, signal, onProgress, context }) {
  onProgress({ stage: 'counting' })
  const histogram = await sources.heapHistogram.take(signal)
  const { extension, contentType, encode } = HISTOGRAM_FORMATS[/** @type {keyof typeof HISTOGRAM_FORMATS} */ (format)]
  const { takenAt, pauseMs } = histogram
  return { bytes: encode(histogram, context), extension, contentType, from: takenAt, to: takenAt + pauseMs, shortened: null }
}

module.exports = { RECORDERS, createCaptures }
