'use strict'

// The table of kinds of captures and their options. A new kind is one row here, a recorder in observer/captures.js with a row there, and one test.

const { assertBoolean, assertKnownKeys, assertMethods, assertNumberAbove, assertOneOf, assertPlainObject, refuse } = require('../../base/validate')
const { errors } = require('../../base/errors')
const { FORMATS, HEAP_FORMATS, HISTOGRAM_FORMATS, SOURCES } = require('../../formats/formats')

/** @import { ArtifactFormat, CaptureKind, CaptureOptions } from '../../../types/diagnostics' */

const DEFAULT_LAST_SECONDS = 30 // the flight recorder's point: what already happened

const MAX_SECONDS = 300 // a capture holds its windows in memory: about 1 MB a minute of a large application
const MAX_LAST_SECONDS = 600 // the most that recorder.keepSeconds can be
const MAX_SITES_SECONDS = 600 // a sampling of the lines that allocate what stays

const MAX_ROUTE_LENGTH = 1000

// How long a heap snapshot stops its process, before anything was measured on this machine: 50 to 120 were measured, and 190 under CPU contention.
const PAUSE_MS_PER_MB = 100

const MODES = Object.freeze(['live', 'all'])
const REDACTIONS = Object.freeze(['values', 'strict', 'off'])

/**
 * Checked options; those that the kind does not have are absent.
 * @typedef {Pick<CaptureOptions, 'seconds' | 'sources' | 'route' | 'threads' | 'redact' | 'force' | 'mode'> & RequestedCapture} CaptureRequest
 *
 * @typedef {{ kind: CaptureKind, format: ArtifactFormat, lastSeconds?: number, hasPseudonyms?: boolean }} RequestedCapture
 *
 * @typedef {object} KindRow
 * @property {string} title  for a person: "CPU profile"
 * @property {readonly ArtifactFormat[]} formats  the first is the default
 * @property {readonly (keyof CaptureOptions)[]} options  beside `format` and `signal`
 * @property {(options: CaptureOptions) => Partial<CaptureRequest>} check
 * @property {CaptureOptions} onSignal  what a signal asks for
 */

/** @type {Readonly<Record<CaptureKind, KindRow>>} */
const KINDS = Object.freeze({
  cpu: {
    title: 'CPU profile',
    formats: /** @type {ArtifactFormat[]} */ (Object.keys(FORMATS)),
    options: ['seconds', 'last', 'sources', 'route', 'threads'],
    check: checkCpu,
    // The last half minute is what the operator saw happen; ten seconds on, in case the trouble is just beginning.
    onSignal: { last: 30, seconds: 10 }
  },
  'heap-snapshot': {
    title: 'heap snapshot',
    formats: ['heapsnapshot'],
    options: ['redact', 'pseudonyms', 'force'],
    check: checkSnapshot,
    onSignal: {}
  },
  'heap-profile': {
    title: 'heap profile',
    formats: /** @type {ArtifactFormat[]} */ (Object.keys(HEAP_FORMATS)),
    options: ['seconds', 'mode', 'sources'],
    check: checkHeapProfile,
    onSignal: { seconds: 10 }
  },
  'heap-histogram': {
    title: 'heap histogram',
    formats: /** @type {ArtifactFormat[]} */ (Object.keys(HISTOGRAM_FORMATS)),
    options: [],
    check: () => ({}),
    onSignal: {}
  }
})

/**
 * @param {unknown} kind
 * @param {CaptureOptions} [options]
 * @returns {CaptureRequest}
 * @throws ERR_LOOPSCOPE_UNKNOWN_KIND, ERR_LOOPSCOPE_UNKNOWN_FORMAT, ERR_LOOPSCOPE_UNKNOWN_OPTION, ERR_LOOPSCOPE_INVALID_OPTION
 */
function checkRequest (kind, options = {}) {
  const known = assertKind(kind)
  const { formats, options: own, check } = KINDS[known]
  assertPlainObject('capture options', options)
  assertKnownKeys('capture options', options, [...own, 'format', 'signal'])
  const { format = formats[0], signal } = options
  if (signal !== undefined) assertMethods('capture options.signal', signal, ['addEventListener', 'removeEventListener'])
  if (!formats.includes(format)) throw new errors.ERR_LOOPSCOPE_UNKNOWN_FORMAT(String(format), known, formats.join(', '))
  return { kind: known, format, ...check(options) }
}

/** @param {CaptureOptions} options */
function checkCpu ({ seconds, last, sources, route, threads = false }) {
  if (seconds !== undefined) assertNumberAbove('capture options.seconds', seconds, 0, MAX_SECONDS)
  if (last !== undefined) assertNumberAbove('capture options.last', last, 0, MAX_LAST_SECONDS)
  if (sources !== undefined) assertOneOf('capture options.sources', sources, SOURCES)
  if (route !== undefined) assertRoute('capture options.route', route)
  assertThreads('capture options.', { seconds, last, route, threads })
  return { seconds: seconds ?? 0, lastSeconds: last ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : 0), sources, route, ...(threads && { threads }) }
}

/**
 * Worker threads have no recorder that could look back, and their samples no routes.
 * @param {string} path  before the names
 * @param {{ seconds?: unknown, last?: unknown, from?: unknown, route?: unknown, threads?: unknown }} options
 */
function assertThreads (path, { seconds, last, from, route, threads = false }) {
  assertBoolean(`${path}threads`, threads)
  if (!threads) return
  if (last !== undefined || from !== undefined) refuse(`${path}${last === undefined ? 'from' : 'last'}`, 'absent with threads, which are recorded from now on', last ?? from)
  if (seconds === undefined) refuse(`${path}seconds`, 'given with threads, which are recorded from now on', seconds)
  if (route !== undefined) refuse(`${path}route`, 'absent with threads, whose samples have no routes', route)
}

/** @param {string} path @param {unknown} value */
function assertRoute (path, value) {
  if (typeof value !== 'string' || value === '' || value.length > MAX_ROUTE_LENGTH) refuse(path, "a route, as in 'POST /login'", value)
}

/** @param {CaptureOptions} options */
function checkSnapshot ({ redact, pseudonyms = false, force = false }) {
  if (redact !== undefined) assertOneOf('capture options.redact', redact, REDACTIONS)
  assertBoolean('capture options.pseudonyms', pseudonyms)
  assertBoolean('capture options.force', force)
  return { redact, hasPseudonyms: pseudonyms, force }
}

/** @param {CaptureOptions} options */
function checkHeapProfile ({ seconds, mode = 'live', sources }) {
  if (seconds !== undefined) assertNumberAbove('capture options.seconds', seconds, 0, MAX_SECONDS)
  assertOneOf('capture options.mode', mode, MODES)
  if (sources !== undefined) assertOneOf('capture options.sources', sources, SOURCES)
  return { seconds: seconds ?? 0, mode, sources }
}

/** @param {unknown} kind @returns {CaptureKind} */
function assertKind (kind) {
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    throw new errors.ERR_LOOPSCOPE_UNKNOWN_KIND(String(kind), Object.keys(KINDS).join(', '))
  }
  return /** @type {CaptureKind} */ (kind)
}

module.exports = { DEFAULT_LAST_SECONDS, KINDS, MAX_LAST_SECONDS, MAX_SECONDS, MAX_SITES_SECONDS, MODES, checkRequest, assertKind, assertRoute, assertThreads, PAUSE_MS_PER_MB }
