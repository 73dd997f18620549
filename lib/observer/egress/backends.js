'use strict'

// The table of backends: the function that creates the requests for each destination (shared/egress/destinations.js has a row of the same name).
// To add one: its function, a row here and there, a section in docs/egress.md, a test.
//
// The function is pure: it reads no file, no clock, no variable, and uses no network. It is called once, when the item is created. Its result is kept
// on disk until it is sent, by this process or by the next one. It does not handle sending, time limits, retries, gzip of the body or the queue.
// Its result:
//   null           the backend does not accept such an item (a heap histogram for a profile backend)
//   body: null     the item's file is the body
//   headers        only those of the body: those of the option are added when it is sent
//   settings.url   without user, password and query, which may be secret and are added when it is sent. The request's URL must begin
//                  with the same origin; it may have a query of its own

const { DESTINATIONS } = require('../../shared/egress/destinations')
const { joinPath, fillTemplate } = require('../../shared/egress/addresses')
const { FORMATS, HEAP_FORMATS } = require('../../formats/formats')

/** @import { DestinationName } from '../../shared/egress/destinations' */
/** @import { HeapProfile } from '../../formats/formats' */
/** @import { CaptureKind, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { Profile } from 'pprof-format' */

/**
 * @typedef {object} EgressItem  an item to send: a report, a profile, or an artifact with its profile if available
 * @property {string} id        unique
 * @property {CaptureKind | 'stall' | 'memory-report'} kind
 * @property {number} fromMs    start of its time range, milliseconds since the epoch
 * @property {number} toMs
 * @property {string} fileName  named like the store's artifacts
 * @property {Record<string, string>} labels  service, pid, host, version (of the application), those of the option; for a profile
 *   created in the middle of a stall also `unfinished_stall`: 'sampled', or 'estimated' from stack probes of the blocked thread
 * @property {object} [report]  of kind 'stall': as in GET /stalls, plus what was read while it lasted
 * @property {CpuProfile} [profile]  of kind 'cpu'
 * @property {Trace | null} [trace]  of a profile: the trace that all of its work belongs to
 * @property {HeapProfile} [heapProfile]  of kind 'heap-profile'
 * @property {string} [file]    path of the artifact
 * @property {Uint8Array} [body]  what is in the file, where that is small JSON and there is no time to read it
 * @property {string} [appRoot] files below it are shown relative to it
 *
 * @typedef {object} EgressSettings  of one destination
 * @property {DestinationName} to
 * @property {string} url
 * @property {number | false} everySeconds
 * @property {Readonly<Record<string, string>>} labels
 *
 * @typedef {object} EgressProfile
 * @property {'cpu' | 'heap'} kind
 * @property {Profile} message
 * @property {Trace | null} trace  the trace that all of it belongs to
 *
 * @typedef {object} EgressRequest
 * @property {'PUT' | 'POST'} method
 * @property {string} url
 * @property {Record<string, string>} headers  in lower case
 * @property {Uint8Array | null} body
 *
 * @typedef {(item: EgressItem, settings: EgressSettings) => EgressRequest | null} RequestFor
 */

/** @type {Readonly<Record<DestinationName, RequestFor>>} */
const BACKENDS = Object.freeze({ put: requestForPut, pyroscope: requestForPyroscope, otlp: requestForOtlp })

// Content type for `put`.
const JSON_TYPE = 'application/json; charset=utf-8'

// The name of Pyroscope's own client for Node.js: Pyroscope's pages recognize the language by it.
const SPY_NAME = 'nodespy'
const NANOS_PER_SECOND = 1e9

/** One file per item, to a URL with placeholders, for object storage. @type {RequestFor} */
function requestForPut (item, { url }) {
  const { body, contentType } = contentOf(item)
  const { service, pid, host } = item.labels
  const time = new Date(item.fromMs).toISOString().replace(/[-:.]/g, '').toLowerCase()
  return {
    method: 'PUT',
    url: fillTemplate(url, { service, pid, host, kind: item.kind, file: item.fileName, time }),
    headers: { 'content-type': contentType },
    body
  }
}

/** @param {EgressItem} item @returns {{ body: Uint8Array | null, contentType: string }} */
function contentOf (item) {
  const { file, body, report, profile, heapProfile } = item
  if (body !== undefined) return { body, contentType: JSON_TYPE }
  if (file !== undefined) return { body: null, contentType: 'application/octet-stream' }
  if (report !== undefined) return { body: Buffer.from(`${JSON.stringify(report, null, 2)}\n`), contentType: JSON_TYPE }
  if (profile !== undefined) return { body: FORMATS.pprof.encode(profile, contextOf(item)), contentType: FORMATS.pprof.contentType }
  const { encode, contentType } = HEAP_FORMATS.pprof
  return { body: encode(/** @type {HeapProfile} */ (heapProfile), contextOf(item)), contentType }
}

/**
 * Profiles as pprof to Grafana's Pyroscope. Encoders are required on first use: a process that only uses `put` does not load them.
 * @type {RequestFor}
 */
function requestForPyroscope (item, settings) {
  const { encodeIngestForm, seriesName } = require('./pyroscope-request')
  const { method, path } = DESTINATIONS.pyroscope
  const found = profileOf(item, settings)
  if (found === null) return null
  const { contentType, body } = encodeIngestForm(found)
  const url = joinPath(settings.url, path)
  // No `format`: with `format=pprof` it reads the whole form as the profile.
  url.search = new URLSearchParams({
    name: seriesName(item.labels),
    from: String(Math.floor(item.fromMs / 1e3)),
    until: String(Math.ceil(item.toMs / 1e3)),
    spyName: SPY_NAME,
    ...(found.kind === 'cpu' && { sampleRate: String(sampleRate(Number(found.message.period))) })
  }).toString()
  return { method, url: url.href, headers: { 'content-type': contentType }, body }
}

/** @param {number} periodNanos */
function sampleRate (periodNanos) {
  return Math.max(1, Math.round(NANOS_PER_SECOND / Math.max(1, periodNanos)))
}

/**
 * Profiles to an OpenTelemetry collector, or any other receiver of OTLP over HTTP. The protocol is in development.
 * @type {RequestFor}
 */
function requestForOtlp (item, settings) {
  const { encodeProfilesRequest } = require('./otlp-request')
  const { method, path } = DESTINATIONS.otlp
  const found = profileOf(item, settings)
  if (found === null) return null
  const { id, labels } = item
  return {
    method,
    url: joinPath(settings.url, path).href,
    headers: { 'content-type': 'application/x-protobuf' },
    body: encodeProfilesRequest(found.message, { id, labels, trace: found.trace })
  }
}

/**
 * The profile of an item, with the same frames, stacks and values for every backend.
 * @param {EgressItem} item
 * @param {Pick<EgressSettings, 'everySeconds'>} settings
 * @returns {EgressProfile | null} null: not a profile, or an empty one, or its time is sent anyway and would count twice
 */
function profileOf (item, { everySeconds }) {
  if (item.profile !== undefined && item.file !== undefined && everySeconds !== false) return null
  const found = readProfile(item)
  return found === null || found.message.sample.length === 0 ? null : found
}

/** @param {EgressItem} item @returns {EgressProfile | null} */
function readProfile (item) {
  const { profile, heapProfile, trace = null } = item
  const { buildHeapPprof, buildPprof } = require('../../formats/pprof')
  if (profile !== undefined) return { kind: 'cpu', message: buildPprof(profile, contextOf(item)), trace }
  if (heapProfile === undefined) return null
  const message = buildHeapPprof({ ...heapProfile, kind: heapProfile.mode === 'all' ? 'alloc' : 'inuse' }, contextOf(item))
  return { kind: 'heap', message, trace }
}

/** @param {EgressItem} item @returns {EncodeContext} */
function contextOf ({ appRoot, fromMs, labels: { service, pid } }) {
  return { appRoot, title: `${service} (pid ${pid})`, startedAt: fromMs }
}

module.exports = { BACKENDS, requestForOtlp, requestForPyroscope }
