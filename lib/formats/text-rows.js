'use strict'

// The rows of the text report and the names of functions in them, also for shorter reports. Pure.

const { hottestLine } = require('./profile/callers')
const { placeOf } = require('./profile/frame')

/** @import { HeavyFrame } from './profile/callers' */
/** @import { Frame } from './profile/frame' */

/**
 * @param {number} micros
 * @param {number} ofMicros
 * @param {string} text
 */
function row (micros, ofMicros, text) {
  return `${inMs(micros)} ${percent(micros, ofMicros)}  ${text}`
}

/** @param {number} micros */
function inMs (micros) {
  return (micros / 1e3).toFixed(1).padStart(11)
}

/**
 * @param {number} micros
 * @param {number} ofMicros
 */
function percent (micros, ofMicros) {
  return `${(ofMicros > 0 ? 100 * micros / ofMicros : 0).toFixed(1)}%`.padStart(6)
}

/** @param {HeavyFrame} heavy */
function describeFunction (heavy) {
  const { frame } = heavy
  const line = hottestLine(heavy)
  // A line in the code of Node.js does not help: the reader cannot change it.
  const isLineUseful = line !== undefined && line !== (frame.work ?? frame).line && frame.origin !== 'node'
  return isLineUseful ? `${nameOf(frame)}, mostly line ${line}` : nameOf(frame)
}

/** @param {Frame} frame */
function nameOf (frame) {
  if (frame.origin === 'native') return `${frame.name} (native)`
  return `${frame.name} ${placeOf(frame)}`.trimEnd()
}

module.exports = { describeFunction, inMs, nameOf, percent, row }
