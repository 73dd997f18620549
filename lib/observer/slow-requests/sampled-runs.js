'use strict'

// For which request code ran when, by the labelled samples of the last windows.

const { LOOP_IO } = require('../../formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Interval } from '../../probe/loop/own-work' */

/** @typedef {Interval & { route: string | null, isGc: boolean }} Run   of samples; null: for no request that is known */

// Longer requests are explained by their end.
const KEEP_MICROS = 60e6
const MAX_RUNS = 2000
// Two samples that are so far apart, in their usual distance, show nothing of the time between them.
const MAX_GAP = 10

class SampledRuns {
  #maxMicros
  /** In order of time. @type {Run[]} */
  #runs = []

  /** @param {{ hz: number }} parts  how often is sampled */
  constructor ({ hz }) {
    this.#maxMicros = MAX_GAP * 1e6 / hz
  }

  /** @param {CpuProfile} window  with the routes of its samples */
  addWindow (window) {
    const fromMicros = window.endTime - KEEP_MICROS
    this.#runs = [...this.#runs.filter(({ toMicros }) => toMicros > fromMicros), ...runsOf(window, this.#maxMicros)]
  }

  /**
   * @param {number} fromMicros
   * @returns {Run[]} since then, in order
   */
  since (fromMicros) {
    return this.#runs.filter(({ toMicros }) => toMicros > fromMicros).slice(-MAX_RUNS)
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
