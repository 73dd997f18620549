'use strict'

// What can be captured. A new kind is one row here, what records it, and one test.

const { assertKnownKeys, assertMethods, assertNumberAbove, assertPlainObject } = require('../internal/validate')
const { errors } = require('../internal/errors')
const { FORMATS } = require('../formats/formats')
const { recordCpu } = require('./cpu')

/** @import { CaptureKind, CaptureOptions } from '../../types/diagnostics' */
/** @import { FormatName } from '../../types/profile' */
/** @import { Recording, Instruments } from './captures' */

const DEFAULTS = Object.freeze({
  lastSeconds: 30, // the flight recorder's point: what already happened
  format: /** @type {FormatName} */ ('cpuprofile')
})

const MAX_SECONDS = 300 // a capture holds its windows in memory: about 1 MB a minute of a large application
const MAX_LAST_SECONDS = 600 // the most that recorder.keepSeconds can be

/**
 * @typedef {object} CaptureRequest  checked options
 * @property {CaptureKind} kind
 * @property {FormatName} format
 * @property {number} lastSeconds  to look back
 * @property {number} seconds      to record on
 */

/**
 * @typedef {object} KindRow
 * @property {readonly FormatName[]} formats
 * @property {(request: CaptureRequest, instruments: Instruments, signal: AbortSignal) => Promise<Recording>} record
 */

/** @type {Readonly<Record<CaptureKind, KindRow>>} */
const KINDS = Object.freeze({
  cpu: {
    formats: /** @type {FormatName[]} */ (Object.keys(FORMATS)),
    record: recordCpu
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
  assertPlainObject('capture options', options)
  assertKnownKeys('capture options', options, ['seconds', 'last', 'format', 'signal'])
  const { seconds, last, format = DEFAULTS.format, signal } = options
  if (seconds !== undefined) assertNumberAbove('capture options.seconds', seconds, 0, MAX_SECONDS)
  if (last !== undefined) assertNumberAbove('capture options.last', last, 0, MAX_LAST_SECONDS)
  if (signal !== undefined) assertMethods('capture options.signal', signal, ['addEventListener', 'removeEventListener'])
  const { formats } = KINDS[known]
  if (!formats.includes(format)) throw new errors.ERR_LOOPSCOPE_UNKNOWN_FORMAT(String(format), known, formats.join(', '))
  return { kind: known, format, seconds: seconds ?? 0, lastSeconds: last ?? (seconds === undefined ? DEFAULTS.lastSeconds : 0) }
}

/**
 * @param {unknown} kind
 * @returns {CaptureKind}
 */
function assertKind (kind) {
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    throw new errors.ERR_LOOPSCOPE_UNKNOWN_KIND(String(kind), Object.keys(KINDS).join(', '))
  }
  return /** @type {CaptureKind} */ (kind)
}

module.exports = { KINDS, checkRequest, assertKind }
