'use strict'

// Functions that the observer calls on the main thread through the inspector, in the middle of whatever it does: what they do, and where they
// are found.

const { monotonicMicros } = require('../base/monotonic')
const { inspector } = require('./process/inspector')

/** @import { Trace } from '../../types/diagnostics' */
/** @import { DebuggerStatus } from '../observer/recorder/debugger-detector' */
/** @import { BlockedStack } from './blocked-stack' */

/**
 * @param {object} parts
 * @param {{ lastMicros: number, dueMicros: number }} parts.heartbeat
 * @param {{ note (tickMicros: number): void, now (): string | null, traceNow (): Trace | null }} parts.stallRoute
 * @param {{ start (sessionError: null): void, rotate (seen?: DebuggerStatus): void, hurry (): void }} parts.recording
 * @param {{ look (): BlockedStack, takeHandlers (): unknown[] }} parts.requestNotes
 * @param {() => void} parts.release  has the observer let go of its session
 * @param {() => void} parts.withdrawRelease
 */
function createInterrupt ({ heartbeat, stallRoute, recording, requestNotes, release, withdrawRelease }) {
  /**
   * @param {boolean} rotate
   * @param {DebuggerStatus} [seen]  of a debugger, just now
   */
  function interrupt (rotate, seen) {
    stallRoute.note(heartbeat.lastMicros)
    if (rotate) recording.rotate(seen)
    if (monotonicMicros() > heartbeat.dueMicros) recording.hurry() // what runs holds the tick up
    return { route: stallRoute.now(), trace: stallRoute.traceNow(), stack: requestNotes.look() }
  }

  return Object.assign(interrupt, {
    look: () => { requestNotes.look() },
    takeHandlers: () => requestNotes.takeHandlers(),
    startRecording: () => recording.start(null),
    endDebuggerWait: () => endDebuggerWait(release, withdrawRelease)
  })
}

/**
 * Called while the main thread stands in inspector.waitForDebugger(). Without us that throws where no port is open, as nobody could come. With
 * our session it waits, for ever: so the session goes, the wait is ended, and Node throws.
 * @param {() => void} release   has the observer let go of its session
 * @param {() => void} withdraw  it may take it up again
 */
function endDebuggerWait (release, withdraw) {
  if (inspector === undefined || inspector.url() !== undefined) return // somebody may come
  release()
  const session = new inspector.Session()
  session.connect()
  session.post('Runtime.runIfWaitingForDebugger')
  session.disconnect()
  withdraw()
}

/**
 * Properties of the global object under symbols that only this process's observer is told.
 * @param {object} parts
 * @param {string} parts.id  other copies of this package have theirs
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
