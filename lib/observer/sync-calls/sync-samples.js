'use strict'

// Reads synchronous calls out of the windows as they come, and tells the main thread what is known. A window is read when
// the next one has come: by then the main thread has also told whose code ran in it.

const { createSampledTable } = require('./sampled-table')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Work } from '../../shared/sync-calls/sampled' */
/** @import { SampledReading } from './sampled-table' */

const MAX_WORK = 10_000 // of two windows

/** @param {{ send: (reading: SampledReading) => void }} parts */
function createSyncSamples ({ send }) {
  const table = createSampledTable()
  /** @type {CpuProfile | undefined} */
  let waiting
  /** @type {Work[]} */
  let work = []

  return {
    /**
     * What a thread before this one had read counts on.
     * @param {SampledReading} reading
     */
    resume (reading) {
      table.resume(reading)
    },
    /** @param {Work[]} more */
    addWork (more) {
      work = work.concat(more).sort((left, right) => left.fromMicros - right.fromMicros).slice(-MAX_WORK)
    },
    /** @param {CpuProfile} window */
    addWindow (window) {
      if (waiting !== undefined) {
        const { endTime } = waiting
        table.add(waiting, work)
        work = work.filter(({ toMicros }) => toMicros > endTime)
        send(table.read())
      }
      waiting = window
    }
  }
}

module.exports = { createSyncSamples }
