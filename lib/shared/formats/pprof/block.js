'use strict'

// What blocked the event loop as Go's `block` profile: stalls and synchronous calls, each with how often and how long.
// Pure; gzipped by the format.

const { gzipSync } = require('node:zlib')
const { Label, Profile, Sample } = require('pprof-format')
const { Tables } = require('./tables')

/** @import { CodeFrame, ExactSyncCall, Stall } from '../../../../types/diagnostics' */
/** @import { Frame } from '../profile/frame' */

const NANOS_PER_MS = 1e6

/**
 * @typedef {object} Blocked
 * @property {CodeFrame[]} stack  innermost first
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
  const frames = new Map()
  const blocked = [...stalls.map(ofStall), ...syncCalls.flatMap(ofCall)]
  const sample = blocked.filter(({ count }) => count > 0).map(one => sampleOf(one, tables, frames))
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
  return { stack: stack.length > 0 ? stack : [nameless(`(stall: ${cause})`)], route, count: 1, ms: durationMs }
}

/**
 * One entry a route.
 * @param {ExactSyncCall} call
 * @returns {Blocked[]}
 */
function ofCall ({ api, callSite, routes }) {
  return routes.map(({ route, calls, ms }) => ({ stack: [nameless(api), callSite], route, count: calls, ms }))
}

/** @param {string} name */
function nameless (name) {
  return { function: name, file: '', line: 0, column: 0 }
}

/**
 * @param {Blocked} blocked
 * @param {Tables} tables
 * @param {Map<string, Frame>} frames  the tables know a frame by its identity
 */
function sampleOf ({ stack, route, count, ms }, tables, frames) {
  const locationId = stack.map(({ function: name, file, line, column }) => {
    const key = `${name} ${file}:${line}:${column}`
    const frame = frames.get(key) ?? /** @type {Frame} */ ({ name, file, line, column })
    frames.set(key, frame)
    return tables.locationId(frame, line)
  })
  const label = route === null ? [] : [new Label({ key: tables.strings.dedup('http_route'), str: tables.strings.dedup(route) })]
  return new Sample({ locationId, value: [count, Math.round(ms * NANOS_PER_MS)], label })
}

module.exports = { encodeBlockProfile }
