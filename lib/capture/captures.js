'use strict'

// The only door through which anything is recorded: record, encode, store. It runs in the observer thread, so that it works
// while the main thread is stuck. The instruments and the stores are given to it.

const { errors } = require('../internal/errors')
const { toEpochMs } = require('../internal/monotonic')
const { FORMATS } = require('../formats/formats')
const { KINDS } = require('./kinds')

/** @import { ArtifactFacts, RetentionOptions, Trigger } from '../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { View } from '../recorder/views' */
/** @import { NewArtifact } from '../store/store' */
/** @import { CaptureRequest } from './kinds' */

/**
 * @typedef {object} Instruments
 * @property {{ view (wanted: { fromMicros: number, toMicros: number }, signal?: AbortSignal): Promise<View> }} views
 *
 * @typedef {object} Recording
 * @property {CpuProfile} profile
 * @property {number} fromMicros
 * @property {number} toMicros
 * @property {ArtifactFacts['shortened']} shortened
 *
 * @typedef {object} Order  what to capture, for whom and where to
 * @property {CaptureRequest} request
 * @property {Trigger} trigger
 * @property {string} appName
 * @property {string} appRoot
 * @property {string} dir
 * @property {RetentionOptions} retention
 *
 * @typedef {object} Store
 * @property {(artifact: NewArtifact) => { name: string, path: string, bytes: number }} write
 */

/**
 * @param {object} parts
 * @param {Instruments} parts.instruments
 * @param {(profile: CpuProfile, appRoot: string) => EncodeContext['sections']} [parts.findings]  what else the report says of a profile
 * @param {(place: { dir: string, retention: RetentionOptions }) => Store} parts.storeAt
 */
function createCaptures ({ instruments, storeAt, findings = () => [] }) {
  /**
   * @param {Order} order
   * @param {AbortSignal} signal
   * @returns {Promise<ArtifactFacts>}
   */
  async function run (order, signal) {
    const { request, trigger, appName } = order
    const recording = await recordOrCancel(request, signal)
    const { extension, contentType, encode } = FORMATS[request.format]
    const from = toEpochMs(recording.fromMicros)
    const sections = request.format === 'text' ? findings(recording.profile, order.appRoot) : []
    const bytes = encode(recording.profile, { ...contextOf(order, recording, from), sections })
    const { path } = storeAt(order).write({ kind: request.kind, extension, at: Date.now(), appName, bytes })
    const to = toEpochMs(recording.toMicros)
    return { kind: request.kind, format: request.format, trigger, path, bytes: bytes.length, contentType, from, to, shortened: recording.shortened }
  }

  /**
   * @param {CaptureRequest} request
   * @param {AbortSignal} signal
   */
  async function recordOrCancel (request, signal) {
    try {
      return await KINDS[request.kind].record(request, instruments, signal)
    } catch (error) {
      if (signal.aborted) throw new errors.ERR_LOOPSCOPE_CAPTURE_CANCELLED(request.kind, String(signal.reason))
      throw error
    }
  }

  return { run }
}

/**
 * @param {Order} order
 * @param {Recording} recording
 * @param {number} startedAt
 */
function contextOf ({ request, appName, appRoot }, { shortened }, startedAt) {
  const notes = shortened === null
    ? []
    : [`${shortened.gotSeconds} s of the ${shortened.wantedSeconds} s asked for: the recorder held no more`]
  return { appRoot, title: `${request.kind} profile of ${appName} (pid ${process.pid})`, startedAt, notes }
}

module.exports = { createCaptures }
