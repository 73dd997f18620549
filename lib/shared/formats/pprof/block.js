'use strict'

// What blocked the event loop as Go's `block` profile: stalls and synchronous calls, each with how often and how long.
// Pure; gzipped by the format.

const { gzipSync } = require('node:zlib')
const { Profile, Sample } = require('pprof-format')
const { describeFrame } = require('../profile/frame')
const { shownStack } = require('../profile/shown-names')
const { Tables } = require('./tables')

/** @import { CodeFrame, ExactSyncCall, Stall } from '../../../../types/diagnostics' */
/** @import { Frame } from '../profile/frame' */

const NANOS_PER_MS = 1e6

/**
 * @typedef {object} Blocked
 * @property {Frame[]} stack  innermost first
 * @property {string | null} route
 * @property {number} count
 * @property {number} ms
 */

/**
 * @param {object} what
 * @param {readonly Stall[]} what.stalls
 * @param {readonly ExactSyncCall[]} what.syncCalls  none while the exact detector is off
 * @param {number} what.fromMs  milliseconds since the epoch
 * @param {number} what.toMs
 * @returns {Buffer}
 */
function encodeBlockProfile ({ stalls, syncCalls, fromMs, toMs }) {
  const tables = new Tables()
  const contentions = tables.valueType('contentions', 'count')
  const delay = tables.valueType('delay', 'nanoseconds')
  const blocked = [...stalls.map(ofStall), ...syncCalls.flatMap(ofCall)]
  const sample = blocked.filter(({ count }) => count > 0).map(one => sampleOf(one, tables))
  return gzipSync(new Profile({
    sampleType: [contentions, delay],
    sample,
    mapping: [tables.mapping()],
    location: tables.locations,
    function: tables.functions,
    timeNanos: BigInt(Math.round(fromMs * 1e3)) * 1000n,
    durationNanos: Math.round((toMs - fromMs) * NANOS_PER_MS),
    periodType: contentions,
    period: 1,
    defaultSampleType: tables.strings.dedup('delay'),
    stringTable: tables.strings
  }).encode())
}

/**
 * @param {Stall} stall
 * @returns {Blocked}
 */
function ofStall ({ cause, route, stack, durationMs }) {
  const shown = stack.length > 0 ? shownStack(stack.map(toFrame)) : [withoutPlace(`(stall: ${cause})`)]
  return { stack: shown, route, count: 1, ms: durationMs }
}

/**
 * One entry a route.
 * @param {ExactSyncCall} call
 * @returns {Blocked[]}
 */
function ofCall ({ api, callSite, routes }) {
  return routes.map(({ route, calls, ms }) => ({ stack: [withoutPlace(api), toFrame(callSite)], route, count: calls, ms }))
}

/** @param {CodeFrame} frame */
function toFrame ({ function: functionName, file, line, column }) {
  // Only native functions are on no line.
  return describeFrame({ functionName, scriptId: String(line), url: file, lineNumber: line - 1, columnNumber: column - 1 })
}

/** @param {string} name */
function withoutPlace (name) {
  return toFrame({ function: name, file: '', line: 0, column: 0 })
}

/**
 * @param {Blocked} blocked
 * @param {Tables} tables
 */
function sampleOf ({ stack, route, count, ms }, tables) {
  const locationId = stack.map(frame => tables.locationId(frame, frame.line))
  return new Sample({ locationId, value: [count, Math.round(ms * NANOS_PER_MS)], label: tables.labels({ http_route: route }) })
}

module.exports = { encodeBlockProfile }
