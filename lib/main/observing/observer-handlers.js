'use strict'

// The messages that come from the observer: what it asks about the process, and what it reports. What it asks of an application is in
// admin/admin-serving.js.

const { findSourceMap } = require('node:module')
const { performance } = require('../../shared/base/timers')
const { readMemory } = require('../heap/memory-reading')
const { takeSnapshot } = require('../heap/take-snapshot')

/** @import { ObserverSupervisor } from './observer-supervisor' */
/** @import { createAdminServing } from '../admin/admin-serving' */
/** @import { createCaptureOrders } from '../capture-orders' */
/** @import { HeapWatching } from '../heap/heap-watching' */
/** @import { EgressServing } from '../egress-serving' */
/** @import { LoopMeters } from '../loop/loop-meters' */
/** @import { createOwnWork } from '../loop/own-work' */
/** @import { Recording } from '../recorder/recording' */
/** @import { SyncCalls } from '../sync-calls/sync-calls' */
/** @import { createProcessMarks } from '../marks' */
/** @import { RequestNotes } from '../request-notes' */
/** @import { TakeOrder } from '../heap/take-snapshot' */

const MAX_MAPS_MS = 5 // at once; the first is always read
const MAX_MAP_LENGTH = 2 * 1024 * 1024

/**
 * @param {object} parts  functions give what is made after the observer is asked for
 * @param {LoopMeters} parts.loop
 * @param {Recording} parts.recording
 * @param {ReturnType<typeof createOwnWork>} parts.ownWork
 * @param {ReturnType<typeof createAdminServing>} parts.admin
 * @param {() => SyncCalls} parts.syncCalls
 * @param {() => HeapWatching} parts.heap
 * @param {() => ReturnType<typeof createCaptureOrders>} parts.captures
 * @param {RequestNotes} parts.requestNotes
 * @param {ReturnType<typeof createProcessMarks>} parts.marks
 * @param {EgressServing} parts.egress
 * @returns {ConstructorParameters<typeof ObserverSupervisor>[0]['handlers']}
 */
function createObserverHandlers ({ loop, recording, ownWork, admin, syncCalls, heap, captures, requestNotes, marks, egress }) {
  return {
    syncCalls: () => syncCalls().read(),
    memory: () => ({ ...readMemory(), trend: heap().trend }),
    handOver: () => requestNotes.handOver(),
    // What holds this thread up for loopscope is no stall of the application.
    scriptMaps: (/** @type {{ urls: string[] }} */ { urls }) => ownWork.exempt(() => readScriptMaps(urls)),
    takeSnapshot: (/** @type {TakeOrder} */ order) => ownWork.exempt(() => takeSnapshot(order)),
    report: () => ownWork.exempt(makeReport),
    ...admin.handlers,
    ...egress.handlers,
    session: ({ isAway }) => recording.setAway(isAway),
    rotate: () => recording.rotate(),
    syncSamples: ({ reading, workLines }) => {
      loop.time.addSamples(reading)
      syncCalls().addSamples(reading, performance.now(), workLines)
    },
    poolQueued: ({ waitedMs }) => syncCalls().poolQueued(waitedMs, performance.now()),
    captured: ({ event }) => captures().counts.note(event),
    marked: ({ mark }) => marks.add(mark)
  }
}

/** Node's diagnostic report, without asking name servers who the peers of every socket are. */
function makeReport () {
  const { report } = /** @type {{ report: any }} */ (process)
  const { excludeNetwork } = report
  try {
    report.excludeNetwork = true
    return report.getReport()
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/**
 * The source maps that only the process has, of code that was compiled as it was loaded: Node.js keeps them with --enable-source-maps, or where
 * the loader (tsx, Node.js's own transformation of TypeScript) called process.setSourceMapsEnabled(true). It decodes a map when it is asked for
 * it the first time, on this thread: so only some are asked for at a time, and none of a bundle.
 * @param {readonly string[]} urls  of scripts, as V8 has them
 * @returns {(string | null)[]} maps as text, null where there is none, of as many of the first as there was time for
 */
function readScriptMaps (urls) {
  const untilMs = performance.now() + MAX_MAPS_MS
  /** @type {(string | null)[]} */
  const maps = []
  for (const url of urls) {
    if (maps.length > 0 && performance.now() > untilMs) break
    maps.push(readMap(url))
  }
  return maps
}

/** @param {string} url */
function readMap (url) {
  try {
    const { sources, names, mappings, sourceRoot } = /** @type {any} */ (findSourceMap(url))?.payload ?? {}
    return typeof mappings === 'string' && mappings.length <= MAX_MAP_LENGTH ? JSON.stringify({ version: 3, sources, names, mappings, sourceRoot }) : null
  } catch {
    return null // broken
  }
}

module.exports = { createObserverHandlers }
