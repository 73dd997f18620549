'use strict'

// Time in the system calls of sockets, by what they are for, and in what the event loop does outside JavaScript; with the function that asked for
// most of it. Pure but for the source lines.

const { findCulprit } = require('../stalls/culprit/find-culprit')
const { onlySamples } = require('./samples')
const { microsByRoute, routeOfMost } = require('./spots')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SocketCalls, SocketTime } from '../../shared/findings/readings' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { Stack } from './frames' */
/** @import { Sample } from './samples' */

// Less of the busy time than this is not looked into.
const MIN_SHARE = 0.1

/**
 * @param {CpuProfile} profile
 * @param {object} observed
 * @param {readonly Sample[]} observed.samples
 * @param {number} observed.busyMicros
 * @param {Map<number, Stack>} observed.stacks
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SocketCalls}
 */
function findSocketCalls (profile, { samples, busyMicros, stacks }, context) {
  const stackOf = (/** @type {Sample} */ { id }) => /** @type {Stack} */ (stacks.get(id))
  const ofKind = (/** @type {Stack['socket']} */ kind) => samples.filter(sample => stackOf(sample).socket === kind)
  const read = (/** @type {Stack['socket']} */ kind) => {
    const some = ofKind(kind)
    const micros = sumMicros(some)
    /** @type {SocketTime['where']} */
    const where = micros < busyMicros * MIN_SHARE ? null : placeOf(profile, some, some.filter(sample => stackOf(sample).run.length > 0), context)
    return { ms: micros / 1e3, samples: some.length, where }
  }
  const accepts = ofKind('accept')
  return {
    writes: read('write'),
    connects: read('connect'),
    accepts: { ms: sumMicros(accepts) / 1e3, samples: accepts.length, closingMs: sumMicros(ofKind('close')) / 1e3 },
    loopMs: sumMicros(samples.filter(sample => stackOf(sample).state === 'io')) / 1e3
  }
}

/**
 * What is done later, as connecting after a lookup, has no function of the application on its stack: then those that begin it are asked.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} all
 * @param {readonly Sample[]} called  by the application
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SocketTime['where']}
 */
function placeOf (profile, all, called, context) {
  const { culprit } = findCulprit(onlySamples(profile, called.length > 0 ? called : all), context)
  if (culprit === null) return null
  const { function: name, file, line, column, via, share } = culprit
  return { function: name, file, line, column, via, route: routeOfMost(microsByRoute(profile, all)), share: share * (called.length > 0 ? sumMicros(called) / sumMicros(all) : 1) }
}

/** @param {readonly Sample[]} samples */
function sumMicros (samples) {
  return samples.reduce((sum, { micros }) => sum + micros, 0)
}

module.exports = { findSocketCalls }
