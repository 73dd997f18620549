'use strict'

// The end of the process as the observer sees it, wired. The main thread has ended the last window, if that is to be kept, and waits, not
// for long: first until the session is let go of, then until what was not sent yet is on disk.

const { unattended } = require('../shared/base/guard')

/** @import { SharedState } from '../bridge/shared-state' */

const MAX_LAST_WINDOW_MS = 100 // half of what the main thread waits for the session

/**
 * As often as the main thread is about to end: it may go on after all.
 * @param {object} parts
 * @param {SharedState} parts.state
 * @param {{ history: { waitFor (toMicros: number, maxMs: number): Promise<boolean> }, disconnect (): void }} parts.recorder
 * @param {() => { keepLast (toMicros: number): Promise<void> } | undefined} parts.egress
 */
async function obeyReleases ({ state, recorder, egress }) {
  for (;;) {
    await state.releaseRequested()
    const toMicros = state.keepMicros
    if (toMicros > 0) await recorder.history.waitFor(toMicros, MAX_LAST_WINDOW_MS) // it comes through the session
    recorder.disconnect()
    state.confirmReleased() // also where there is none any more
    if (toMicros > 0) unattended(keep(toMicros))
  }

  /** @param {number} toMicros */
  async function keep (toMicros) {
    try {
      await egress()?.keepLast(toMicros)
    } finally {
      state.confirmKept()
    }
  }
}

module.exports = { obeyReleases }
