'use strict'

// What the observer says to the main thread and asks of it, wired.

const { performance } = require('../shared/base/timers')
const { readMemory } = require('./heap/memory-reading')
const { createAnswers } = require('./observing/answers')

/** @import { createObserverSupervisor } from './observing/observer-supervisor' */
/** @import { createAdminServing } from './admin/admin-serving' */
/** @import { createCaptureOrders } from './capture-orders' */
/** @import { createHeapWatching } from './heap/heap-watching' */
/** @import { createEgressServing } from './egress-serving' */
/** @import { createSlowRequests } from './http/slow-requests/slow-requests' */
/** @import { createLoopMeters } from './loop/loop-meters' */
/** @import { createOwnWork } from './loop/own-work' */
/** @import { createRecording } from './recorder/recording' */
/** @import { createSyncCalls } from './sync-calls/sync-calls' */
/** @import { createProcessMarks } from './marks' */

/**
 * @param {object} parts  functions give what is made after the observer is asked for
 * @param {ReturnType<typeof createLoopMeters>} parts.loop
 * @param {ReturnType<typeof createRecording>} parts.recording
 * @param {ReturnType<typeof createOwnWork>} parts.ownWork
 * @param {ReturnType<typeof createAdminServing>} parts.admin
 * @param {() => ReturnType<typeof createSyncCalls>} parts.syncCalls
 * @param {() => ReturnType<typeof createHeapWatching>} parts.heap
 * @param {() => ReturnType<typeof createCaptureOrders>} parts.captures
 * @param {ReturnType<typeof createSlowRequests>} parts.slowRequests
 * @param {ReturnType<typeof createProcessMarks>} parts.marks
 * @param {ReturnType<typeof createEgressServing>} parts.egress
 * @param {() => ReturnType<typeof import('./stalls').createStalls>} parts.stalls
 * @returns {Parameters<typeof createObserverSupervisor>[0]['handlers']}
 */
function createObserverHandlers ({ loop, recording, ownWork, admin, syncCalls, heap, captures, slowRequests, marks, egress, stalls }) {
  return {
    ...createAnswers({
      syncCalls: () => syncCalls().read(),
      memory: () => ({ ...readMemory(), trend: heap().trend }),
      slowRequests: () => slowRequests.list(),
      exempt: ownWork.exempt
    }),
    ...admin.handlers,
    ...egress.handlers,
    session: ({ isAway }) => recording.setAway(isAway),
    rotate: () => recording.rotate(),
    stallWritten: written => stalls().addWritten(written),
    syncSamples: ({ reading }) => {
      loop.time.addSamples(reading)
      syncCalls().addSamples(reading, performance.now())
    },
    sampledRuns: ({ runs, toMicros }) => slowRequests.addRuns(runs, toMicros),
    poolQueued: ({ waitedMs }) => syncCalls().poolQueued(waitedMs, performance.now()),
    captured: ({ event }) => captures().counts.note(event),
    marked: ({ mark }) => marks.add(mark)
  }
}

module.exports = { createObserverHandlers }
