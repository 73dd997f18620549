'use strict'

// Reads synchronous calls out of the windows as they come, and tells the main thread what is known.

const { unattended } = require('../../shared/base/guard')
const { createSampledTable } = require('./sampled-table')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */
/** @import { SourceMaps } from '../../shared/source-maps/source-maps' */
/** @import { SampledReading } from './sampled-table' */

/** @type {Pick<SourceMaps, 'known' | 'frames'>} */
const NO_MAPS = Object.freeze({ known: frames => [...frames], frames: async frames => [...frames] })

/**
 * @param {object} parts
 * @param {(reading: SampledReading) => void} parts.send
 * @param {Pick<SourceMaps, 'known' | 'frames'>} [parts.sourceMaps]
 */
function createSyncSamples ({ send, sourceMaps = NO_MAPS }) {
  const table = createSampledTable()

  /** What is known now; and once more when more is known of where the callers were written. */
  function tell () {
    const { reading, callers, shown } = read()
    send(reading)
    unattended(tellMore(callers, shown))
  }

  function read () {
    const reading = table.read()
    const callers = reading.sites.map(({ caller }) => caller)
    const shown = sourceMaps.known(callers)
    const sites = reading.sites.map((site, index) => shown[index] === site.caller ? site : { ...site, shown: shown[index] })
    return { reading: { ...reading, sites }, callers, shown }
  }

  /**
   * @param {CallFrame[]} callers
   * @param {CallFrame[]} shown
   */
  async function tellMore (callers, shown) {
    const learned = await sourceMaps.frames(callers)
    if (callers.some((caller, index) => shown[index] === caller && learned[index] !== caller)) tell()
  }

  return {
    /**
     * What a thread before this one had read counts on.
     * @param {SampledReading} reading
     */
    resume (reading) {
      table.resume(reading)
    },
    read: () => read().reading,
    /** @param {CpuProfile} window  with the routes of its samples */
    addWindow (window) {
      table.add(window)
      tell()
    }
  }
}

module.exports = { createSyncSamples }
