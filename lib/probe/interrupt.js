'use strict'

// The functions that the observer calls on the main thread through the inspector, in the middle of whatever runs, and the expressions that find
// them.

const { monotonicMicros } = require('../base/monotonic')
const { readBlockedStack } = require('./blocked-stack')
const { inspector } = require('./process/inspector')

/** @import { Trace } from '../../types/diagnostics' */
/** @import { DebuggerStatus } from '../observer/recorder/debugger-detector' */
/** @import { BlockedStack } from './blocked-stack' */
/** @import { InFlightReading } from './http/in-flight' */

const { stringify } = JSON // as it was at load

/**
 * @param {object} parts
 * @param {{ lastMicros: number, dueMicros: number }} parts.heartbeat
 * @param {{ note (tickMicros: number): void, now (): string | null, traceNow (): Trace | null }} parts.stallRoute
 * @param {{ start (sessionError: null): void, rotate (seen?: DebuggerStatus): void, sampleFast (): void }} parts.recording
 * @param {{ probeStack (): BlockedStack, takeHandlers (): unknown[], readInFlight (isInterrupt: boolean): InFlightReading }} parts.requestNotes
 * @param {() => void} parts.release  makes the observer release its session
 * @param {() => void} parts.withdrawRelease
 */
function createInterrupt ({ heartbeat, stallRoute, recording, requestNotes, release, withdrawRelease }) {
  /**
   * @param {boolean} rotate
   * @param {DebuggerStatus} [seen]  of a debugger, read just now
   */
  function interrupt (rotate, seen) {
    stallRoute.note(heartbeat.lastMicros)
    if (rotate) recording.rotate(seen)
    if (monotonicMicros() > heartbeat.dueMicros) recording.sampleFast() // the running code delays the tick
    return { route: stallRoute.now(), trace: stallRoute.traceNow(), stack: requestNotes.probeStack() }
  }

  return Object.assign(interrupt, {
    probeStack: () => { requestNotes.probeStack() },
    // As text, which is cheaper to pass on.
    inFlight: () => stringify({ ...requestNotes.readInFlight(true), stack: readBlockedStack() }),
    takeHandlers: () => requestNotes.takeHandlers(),
    startRecording: () => recording.start(null),
    endDebuggerWait: () => endDebuggerWait(release, withdrawRelease)
  })
}

/**
 * Called while the main thread is in inspector.waitForDebugger(). Without loopscope that throws where no port is open, as no debugger could connect.
 * With loopscope's session it waits for ever: so the session is released, the wait ends, and Node throws.
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

module.exports = { createHiddenFunctions, createInterrupt }
