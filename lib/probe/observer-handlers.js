'use strict'

// The handlers for the observer's messages: its requests, its readings of the process, and its reports. Its requests to one application are in
// applications.js.

const { readBy } = require('../link/channel')
const { readMemory } = require('./heap/memory-reading')
const { takeSnapshot } = require('./heap/take-snapshot')
const { readScriptMaps } = require('./process/script-maps')

/** @import { ObserverSupervisor } from './observer-supervisor' */
/** @import { Applications } from './applications' */
/** @import { MainReadings } from '../link/messages' */
/** @import { Handlers } from '../link/channel' */
/** @import { BufferSites } from './buffers/buffer-sites' */
/** @import { HeapWatching } from './heap/heap-watching' */
/** @import { createOwnWork } from './loop/own-work' */
/** @import { Recording } from './recorder/recording' */
/** @import { ExactCalls } from './sync-calls/exact-calls' */
/** @import { RequestNotes } from './request-notes' */
/** @import { TakeOrder } from './heap/take-snapshot' */

/**
 * @param {object} parts  functions return what is created after the observer is requested
 * @param {Recording} parts.recording
 * @param {ReturnType<typeof createOwnWork>} parts.ownWork
 * @param {Applications} parts.applications
 * @param {() => ExactCalls} parts.exactCalls
 * @param {() => HeapWatching} parts.heap
 * @param {() => BufferSites} parts.bufferSites
 * @param {RequestNotes} parts.requestNotes
 * @returns {ConstructorParameters<typeof ObserverSupervisor>[0]['handlers']}
 */
function createObserverHandlers ({ recording, ownWork, applications, exactCalls, heap, bufferSites, requestNotes }) {
  // What loopscope runs on this thread is not a stall of the application.
  /** @type {Handlers<MainReadings>} */
  const readers = {
    exactCalls: () => exactCalls().read(),
    memory: () => ({ ...readMemory(), trend: heap().trend }),
    memoryOwners: () => heap().owners(),
    armBuffers: ({ seconds }) => bufferSites().arm(seconds),
    buffers: ({ boundaries }) => ownWork.exempt(() => bufferSites().read(boundaries)),
    report: () => ownWork.exempt(makeReport),
    sampleWaits: ({ seconds }) => requestNotes.awaits.ask(seconds),
    sampledWaits: () => requestNotes.awaits.readAsked(),
    requests: () => requestNotes.readInFlight(),
    scriptMaps: ({ urls }) => ownWork.exempt(() => readScriptMaps(urls)),
    ...applications.readers
  }
  return {
    readMain: readBy(readers),
    handOver: () => requestNotes.handOver(),
    takeSnapshot: (/** @type {TakeOrder} */ order) => ownWork.exempt(() => takeSnapshot(order)),
    ...applications.handlers,
    session: ({ isAway }) => recording.setAway(isAway),
    rotate: () => recording.rotate(),
  }
}

/** Node's diagnostic report, without DNS lookups for the peers of every socket. */
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

module.exports = { createObserverHandlers }
