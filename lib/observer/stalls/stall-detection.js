'use strict'

// How stalls are detected and explained, wired: the watch while one lasts, the evidence, the reports, and what is kept of them.

const { guarded } = require('../../shared/base/guard')
const { createBlockedStacks } = require('./culprit/blocked-stacks')
const { createSourceLines } = require('./culprit/source-lines')
const { createEvidence } = require('./evidence')
const { createHousekeeping } = require('./housekeeping')
const { createLoopSeries } = require('./loop-series')
const { createStallRecords } = require('./stall-records')
const { createStallReports } = require('./stall-reports')
const { createStallWatch } = require('./stall-watch')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { SharedState } from '../../bridge/shared-state' */
/** @import { ObserverSettings } from '../../bridge/messages' */
/** @import { SchedulerReading } from './scheduler' */
/** @import { WrittenStall } from './stall-reports' */
/** @import { Stuck } from './stall-watch' */

/**
 * @param {object} parts
 * @param {ObserverSettings} parts.settings
 * @param {SharedState} parts.state
 * @param {{ take (): () => SchedulerReading }} parts.scheduler
 * @param {ReturnType<typeof import('../recorder/recorder-client').createRecorderClient>} parts.recorder
 * @param {Pick<ReturnType<typeof import('../../shared/source-maps/source-maps').createSourceMaps>, 'profile' | 'frames' | 'isKnown'>} parts.sourceMaps
 * @param {(written: WrittenStall) => void} parts.onWritten  of a stall that was reported before the place was known where its code was written
 * @param {(fields: object, message: string) => void} parts.logNow  straight to standard error
 */
function createStallDetection ({ settings, state, scheduler, recorder, sourceMaps, onWritten, logNow }) {
  const evidence = createEvidence({ scheduler, state })
  const records = createStallRecords()
  const onStuck = /** @type {Listeners<Stuck>} */ (new Listeners())
  const onOver = /** @type {Listeners<Stall>} */ (new Listeners())
  const stacks = createBlockedStacks(settings, (frames, maxMs) => sourceMaps.frames(frames, { maxMs }))
  // The session may close meanwhile.
  const look = guarded(() => recorder.lookNow().then(seen => { if (seen !== undefined) stacks.add(seen.stack) }, () => {}))
  const { every, turn } = createHousekeeping()
  const watch = createStallWatch({
    state,
    stallThresholdMs: settings.stallThresholdMs,
    onWake: lateMs => evidence.note(lateMs),
    // Only for the route and the place in the code: the window is ended when the stall is over, or for the report of one that lasts.
    // Ending it here as well would make every stall longer by that.
    onSuspicion: guarded(stuck => {
      look()
      return recorder.disconnectOnPause(() => watch.isStill(stuck))
    }),
    onStall: stuck => {
      look()
      onStuck.tell(stuck)
    },
    onLook: look,
    onReport: guarded(stuck => reports.reportWhileStuck(stuck)),
    onTurned: turn
  })
  const reports = createStallReports({
    history: recorder.history,
    evidence,
    isRecording: () => recorder.isRecording,
    rotateNow: () => recorder.rotateNow(),
    looksOf: stacks.looksBetween,
    toWrittenLooks: stacks.toWritten,
    isStill: stuck => watch.isStill(stuck),
    logNow,
    records,
    context: { ...settings, source: createSourceLines(settings) },
    thresholdMs: settings.stallThresholdMs,
    toWritten: (profile, maxMs) => sourceMaps.profile(profile, { maxMs }),
    isWritten: (profile, looks) => sourceMaps.isKnown({ profile, frames: stacks.placesOf(looks) }),
    onWritten
  })
  return {
    /** Of a stall that goes on: who is told when one counts, and what there is to be read of it. */
    lasting: {
      onStuck: onStuck.add,
      isStill: (/** @type {Stuck} */ stuck) => watch.isStill(stuck) && state.ownWorkMicros === 0,
      describe: reports.describeWhileStuck,
      evidenceSince: (/** @type {number} */ fromMicros) => evidence.since(fromMicros),
      looksBetween: stacks.looksBetween
    },
    records,
    series: createLoopSeries({ state, every }),
    /** For what needs no wake-up of its own. */
    every,
    explain: reports.explain,
    /** More is known of where code was written. */
    learned: reports.learned,
    /** Whether the machine has no processor to spare. */
    isShort: () => evidence.isShort(),
    addAlarm: watch.addAlarm.bind(watch),
    /** Of each stall that is over and explained. */
    onOver: onOver.add,
    /** @param {Stall} stall */
    keep (stall) {
      if (records.replace(stall)) return // it was told before
      records.add(stall)
      onOver.tell(stall)
    },
    start: () => watch.start(),
    speedUp: () => watch.speedUp()
  }
}

/** @template T */
class Listeners {
  /** @type {Set<(told: T) => void>} */
  #all = new Set()

  /**
   * @param {(told: T) => void} listener
   * @returns {() => void} ends it
   */
  add = listener => {
    this.#all.add(listener)
    return () => { this.#all.delete(listener) }
  }

  /** @param {T} value */
  tell (value) {
    for (const listener of this.#all) listener(value)
  }
}

module.exports = { createStallDetection }
