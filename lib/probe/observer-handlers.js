'use strict'

// What the observer runs on the main thread: the handlers of its messages, and functions that it calls through the inspector, in the middle of whatever
// code is running. What it requests of one application is in applications.js.

const { readBy } = require('../link/channel')
const { readMemory } = require('./heap/memory-reading')
const { takeSnapshot } = require('./heap/take-snapshot')
const { readScriptMaps } = require('./process/script-maps')
const { toJson } = require('../base/globals')
const { monotonicMicros } = require('../base/monotonic')
const { readBlockedStack } = require('./blocked-stack')
const { inspector } = require('./process/inspector')

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
/** @import { Trace } from '../../types/diagnostics' */
/** @import { DebuggerStatus } from '../observer/recorder/debugger-detector' */
/** @import { BlockedStack } from './blocked-stack' */
/** @import { InFlightReading } from './http/in-flight' */

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
    sampledWaits: () => ({ ...requestNotes.awaits.readAsked(), underWay: requestNotes.oldestStarts() }),
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

// V8 notes the captures of the last match in a list, which it replaces where an expression has more captures than any before. An interrupt in the
// middle of String.replace() with a function must not replace it: V8 of Node 20 to 26 would take the matches for something else, and end the process
// (SIGTRAP). With this one match the list is long enough for all expressions that run in interrupts.
const MAX_CAPTURES = 64
new RegExp('()'.repeat(MAX_CAPTURES)).test('')

/**
 * The functions that the inspector calls.
 * @param {object} parts
 * @param {{ lastMicros: number, dueMicros: number }} parts.heartbeat
 * @param {{ note (tickMicros: number): void, now (): string | null, traceNow (): Trace | null }} parts.stallRoute
 * @param {{ start (sessionError: null): void, rotate (seen?: DebuggerStatus): void, sampleFast (): void }} parts.recording
 * @param {{ probeStack (): BlockedStack, takeHandlers (): unknown[], readInFlight (isInterrupt: boolean): InFlightReading }} parts.requestNotes
 * @param {() => void} parts.release  makes the observer release its session
 * @param {() => void} parts.withdrawRelease
 */
function createInterrupt ({ heartbeat, stallRoute, recording, requestNotes, release, withdrawRelease }) {
  /** @param {boolean} rotate @param {DebuggerStatus} [seen]  of a debugger, read just now */
  function interrupt (rotate, seen) {
    stallRoute.note(heartbeat.lastMicros)
    if (rotate) recording.rotate(seen)
    if (monotonicMicros() > heartbeat.dueMicros) recording.sampleFast() // the running code delays the tick
    return { route: stallRoute.now(), trace: stallRoute.traceNow(), stack: requestNotes.probeStack() }
  }

  return Object.assign(interrupt, {
    probeStack: () => { requestNotes.probeStack() },
    // As text, which is cheaper to pass on.
    inFlight: () => toJson({ ...requestNotes.readInFlight(true), stack: readBlockedStack() }),
    takeHandlers: () => requestNotes.takeHandlers(),
    startRecording: () => recording.start(null),
    endDebuggerWait: () => endDebuggerWait(release, withdrawRelease)
  })
}

/**
 * Called while the main thread is in inspector.waitForDebugger(). Without loopscope that throws where no port is open, as no debugger could connect.
 * With loopscope's session it would wait forever: so the session is released, the wait ends, and Node throws.
 * @param {() => void} release   makes the observer release its session
 * @param {() => void} withdraw  allows it to open it again
 */
function endDebuggerWait (release, withdraw) {
  if (inspector === undefined || inspector.url() !== undefined) return // a debugger may connect
  release()
  const session = new inspector.Session()
  session.connect()
  session.post('Runtime.runIfWaitingForDebugger')
  session.disconnect()
  withdraw()
}

/**
 * Properties of the global object under symbols that are passed only to this process's observer.
 * @param {object} parts
 * @param {string} parts.id  other copies of this package have their own
 * @param {Record<string, Function>} parts.functions
 */
function createHiddenFunctions ({ id, functions }) {
  const symbolOf = (/** @type {string} */ name) => Symbol.for(`loopscope.${name}.${id}`)
  return {
    define () {
      for (const [name, value] of Object.entries(functions)) {
        Object.defineProperty(globalThis, symbolOf(name), { value, configurable: true })
      }
    },
    remove () {
      for (const name of Object.keys(functions)) Reflect.deleteProperty(globalThis, symbolOf(name))
    },
    /** @param {string} name */
    expressionOf: name => `globalThis[Symbol.for(${JSON.stringify(symbolOf(name).description)})]`
  }
}

module.exports = { createObserverHandlers, createHiddenFunctions, createInterrupt }
