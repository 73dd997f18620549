'use strict'

// What the observer has the main thread do through the inspector, in the middle of whatever it does: a function, and others that come
// with it.

const { endDebuggerWait } = require('./end-debugger-wait')

/** @import { Trace } from '../../../types/diagnostics' */
/** @import { DebuggerStatus } from '../../observer/recorder/debugger-detector' */
/** @import { BlockedStack } from '../blocked-stack' */

/**
 * @param {object} parts
 * @param {{ lastMicros: number }} parts.heartbeat
 * @param {{ note (tickMicros: number): void, now (): string | null, traceNow (): Trace | null }} parts.stallRoute
 * @param {{ start (sessionError: null): void, rotate (seen?: DebuggerStatus): void }} parts.recording
 * @param {{ look (): BlockedStack, takeHandlers (): unknown[] }} parts.routeNotes
 * @param {() => void} parts.release  has the observer let go of its session
 * @param {() => void} parts.withdrawRelease
 */
function createInterrupt ({ heartbeat, stallRoute, recording, routeNotes, release, withdrawRelease }) {
  /**
   * @param {boolean} rotate
   * @param {DebuggerStatus} [seen]  of a debugger, just now
   */
  function interrupt (rotate, seen) {
    stallRoute.note(heartbeat.lastMicros)
    if (rotate) recording.rotate(seen)
    return { route: stallRoute.now(), trace: stallRoute.traceNow(), stack: routeNotes.look() }
  }

  return Object.assign(interrupt, {
    look: () => { routeNotes.look() },
    takeHandlers: () => routeNotes.takeHandlers(),
    startRecording: () => recording.start(null),
    endDebuggerWait: () => endDebuggerWait(release, withdrawRelease)
  })
}

module.exports = { createInterrupt }
