'use strict'

// The messages that come from the observer: what it asks and reads of the process, and what it reports. What it asks of an application is in
// admin/applications.js.

const { readBy } = require('../link/channel')
const { readMemory } = require('./heap/memory-reading')
const { takeSnapshot } = require('./heap/take-snapshot')
const { readScriptMaps } = require('./process/script-maps')

/** @import { ObserverSupervisor } from './observer-supervisor' */
/** @import { Applications } from './applications' */
/** @import { MainReadings } from '../link/messages' */
/** @import { Handlers } from '../link/channel' */
/** @import { HeapWatching } from './heap/heap-watching' */
/** @import { createOwnWork } from './loop/own-work' */
/** @import { Recording } from './recorder/recording' */
/** @import { ExactCalls } from './sync-calls/exact-calls' */
/** @import { RequestNotes } from './request-notes' */
/** @import { TakeOrder } from './heap/take-snapshot' */

/**
 * @param {object} parts  functions give what is made after the observer is asked for
 * @param {Recording} parts.recording
 * @param {ReturnType<typeof createOwnWork>} parts.ownWork
 * @param {Applications} parts.applications
 * @param {() => ExactCalls} parts.exactCalls
 * @param {() => HeapWatching} parts.heap
 * @param {RequestNotes} parts.requestNotes
 * @returns {ConstructorParameters<typeof ObserverSupervisor>[0]['handlers']}
 */
function createObserverHandlers ({ recording, ownWork, applications, exactCalls, heap, requestNotes }) {
  // What holds this thread up for loopscope is no stall of the application.
  /** @type {Handlers<MainReadings>} */
  const readers = {
    exactCalls: () => exactCalls().read(),
    memory: () => ({ ...readMemory(), trend: heap().trend }),
    report: () => ownWork.exempt(makeReport),
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

module.exports = { createObserverHandlers }
