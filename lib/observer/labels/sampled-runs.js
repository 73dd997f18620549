'use strict'

// For which request code ran when, by the labelled samples of the last windows: the main thread asks for it with a window while requests that
// were slow are to be explained, and is sent nothing otherwise.

const { LOOP_IO } = require('../../shared/formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Run } from '../../main/http/slow-requests/timeline' */

// Longer requests are explained by their end.
const KEEP_MICROS = 60e6
const MAX_TOLD = 2000
// Two samples that are so far apart, in their usual distance, say nothing of the time between them.
const MAX_GAP = 10

class SampledRuns {
  #tell
  #maxMicros
  /** In order of time. @type {Run[]} */
  #runs = []
  /** @type {number | null} */
  #wantedMicros = null

  /** @param {{ hz: number, tell: (told: { runs: Run[], toMicros: number }) => void }} parts  hz: how often is sampled */
  constructor ({ hz, tell }) {
    this.#tell = tell
    this.#maxMicros = MAX_GAP * 1e6 / hz
  }

  /** @param {number | null} fromMicros  from when on they are wanted; null: they are not */
  want (fromMicros) {
    this.#wantedMicros = fromMicros
  }

  /** @param {CpuProfile} window  with the routes of its samples */
  addWindow (window) {
    const fromMicros = window.endTime - KEEP_MICROS
    this.#runs = [...this.#runs.filter(({ toMicros }) => toMicros > fromMicros), ...runsOf(window, this.#maxMicros)]
    const wanted = this.#wantedMicros
    if (wanted !== null) this.#tell({ runs: this.#runs.filter(({ toMicros }) => toMicros > wanted).slice(-MAX_TOLD), toMicros: window.endTime })
  }
}

/**
 * @param {CpuProfile} window
 * @param {number} maxMicros  that a sample stands for
 * @returns {Run[]} none where the loop was idle
 */
function runsOf ({ nodes, samples, timeDeltas, startTime, routes }, maxMicros) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  /** @type {Run[]} */
  const runs = []
  let toMicros = startTime
  samples.forEach((id, index) => {
    toMicros += timeDeltas[index]
    const name = names.get(id)
    if (name === '(idle)' || name === LOOP_IO) return // of the loop's own work only the amount is known
    const fromMicros = toMicros - Math.min(timeDeltas[index], maxMicros)
    const isGc = name === '(garbage collector)'
    const route = routes?.names[routes.samples[index]] ?? null
    const last = runs.at(-1)
    if (last?.toMicros === fromMicros && last.route === route && last.isGc === isGc) last.toMicros = toMicros
    else runs.push({ fromMicros, toMicros, route, isGc })
  })
  return runs
}

module.exports = { SampledRuns }
