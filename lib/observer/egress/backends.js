'use strict'

// The table of backends: what makes the requests for each destination (shared/egress/destinations.js, which has a row of the same name).
// To add one: its file with `requestFor(item, settings)`, a row here and there, a section in docs/egress.md, a test.
//
// requestFor is pure: it reads no file, no clock, no variable, and knows no network. It is called once, when the item is made. What it
// returns is kept on disk until it is sent, by us or by the next process. Sending, time limits, retries, gzip of the body and the queue
// are not its business.
//   null           the backend has no use for such an item (a heap histogram for one of profiles)
//   body: null     the item's file is the body
//   headers        only those that belong to the body: those of the option are added when it is sent
//   settings.url   without user, password and query, which may be secret and are added when it is sent. The request's URL has to begin
//                  with the same origin; it may have a query of its own

const { requestForPut } = require('./put')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { CaptureKind, Trace } from '../../../types/diagnostics' */
/** @import { DestinationName } from '../../shared/egress/destinations' */
/** @import { HeapProfile } from '../../shared/formats/heap-profile' */

/**
 * @typedef {object} EgressItem  what is to be sent: a report, a profile, an artifact; of an artifact the profile too where it is known
 * @property {string} id        of no other item
 * @property {CaptureKind | 'stall'} kind
 * @property {number} fromMs    the time that it tells of, milliseconds since the epoch
 * @property {number} toMs
 * @property {string} fileName  as the store names its artifacts
 * @property {Record<string, string>} labels  service, pid, host, version (of the application), those of the option; of a profile
 *   that was made in the middle of a stall `unfinished_stall`: 'sampled', or 'estimated' from what was seen of the stuck thread
 * @property {object} [report]  of kind 'stall': as GET /stalls tells one, and what was read while it lasted
 * @property {CpuProfile} [profile]  of kind 'cpu'
 * @property {Trace | null} [trace]  of a profile: whose work all of it is
 * @property {HeapProfile} [heapProfile]  of kind 'heap-profile'
 * @property {string} [file]    the artifact
 * @property {string} [appRoot] files below it are shown relative to it
 *
 * @typedef {object} EgressSettings  of one destination
 * @property {DestinationName} to
 * @property {string} url
 * @property {number | false} everySeconds
 * @property {Readonly<Record<string, string>>} labels
 *
 * @typedef {object} EgressRequest
 * @property {'PUT' | 'POST'} method
 * @property {string} url
 * @property {Record<string, string>} headers  in lower case
 * @property {Uint8Array | null} body
 *
 * @typedef {(item: EgressItem, settings: EgressSettings) => EgressRequest | null} RequestFor
 */

// Encoders are required when first used: a process that only puts does not pay for them.
/** @type {Readonly<Record<DestinationName, RequestFor>>} */
const BACKENDS = Object.freeze({
  put: requestForPut,
  pyroscope: (item, settings) => require('./pyroscope').requestForPyroscope(item, settings),
  otlp: (item, settings) => require('./otlp').requestForOtlp(item, settings)
})

module.exports = { BACKENDS }
