'use strict'

// What is made of each window of the recorder, wired: its samples get their routes, and then it tells synchronous calls, and whose code ran.
// New windows also say when it is worth to look whose code runs.

const { monotonicMicros } = require('../shared/base/monotonic')
const { createLabeller } = require('./labels/labeller')
const { createLooking } = require('./labels/looking')
const { createSampledRuns } = require('./labels/sampled-runs')
const { createSyncSamples } = require('./sync-calls/sync-samples')

/** @import { Channel } from '../bridge/channel' */
/** @import { ObserverSettings, ToMain, ToObserver } from '../bridge/messages' */
/** @import { SharedState } from '../bridge/shared-state' */
/** @import { CpuProfile } from '../../types/profile' */
/** @import { Notes } from '../main/labels/route-notes' */
/** @import { createRecorderClient } from './recorder/recorder-client' */
/** @import { createSourceMaps } from '../shared/source-maps/source-maps' */

// Who asks for samples has those of before otherwise.
const MAX_WAIT_MS = 200

/**
 * @param {object} parts
 * @param {ObserverSettings} parts.settings
 * @param {SharedState} parts.state
 * @param {() => ReturnType<typeof createRecorderClient>} parts.recorder  which is made of what this gives
 * @param {ReturnType<typeof createSourceMaps>} parts.sourceMaps
 * @param {Channel<ToMain, ToObserver>} parts.channel
 */
function createWindowReading ({ settings, state, recorder, sourceMaps, channel }) {
  const syncSamples = createSyncSamples({ send: reading => channel.tell('syncSamples', { reading }), sourceMaps })
  const sampledRuns = createSampledRuns({ hz: settings.hz, tell: told => channel.tell('sampledRuns', told) })
  const looking = createLooking({
    isBusy: () => recorder().canLook && !state.isIdle && state.ownWorkMicros === 0,
    look: () => recorder().look()
  })
  const labeller = createLabeller({
    readHandlers: () => recorder().readHandlers(),
    onLooks: isNew => looking.adapt(isNew),
    onWindow: window => {
      syncSamples.addWindow(window)
      sampledRuns.addWindow(window)
    }
  })
  return {
    /** @param {CpuProfile} window */
    addWindow (window) {
      labeller.addWindow(window)
      looking.start()
    },
    /** @param {Notes} notes  of the main thread, about the window before */
    addNotes (notes) {
      sampledRuns.want(notes.slowFromMicros)
      labeller.addNotes(notes)
    },
    /**
     * What was sampled up to this moment, as far as it comes in time.
     * @param {number} toMicros
     */
    async readSamples (toMicros) {
      await recorder().history.waitFor(toMicros, MAX_WAIT_MS)
      await labeller.settle()
      return syncSamples.read()
    },
    /** The same up to now; it is sent to the main thread as well. */
    async readSamplesNow () {
      if (!recorder().isRecording) return syncSamples.read()
      const toMicros = monotonicMicros()
      recorder().rotate()
      return this.readSamples(toMicros)
    },
    /** @param {CpuProfile} profile */
    label: profile => labeller.label(profile),
    speedUp: () => looking.start(),
    /** @param {Parameters<typeof syncSamples.resume>[0]} reading */
    resume: reading => syncSamples.resume(reading)
  }
}

module.exports = { createWindowReading }
