'use strict'

// Finds which route's code ran when, from the labelled samples of the last windows.

const { LOOP_IO } = require('../../formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Interval } from '../../probe/loop/own-work' */

/** @typedef {Interval & { route: string | null, isGc: boolean }} Run   of consecutive samples; null: no request, or an unknown one */

// Of longer requests only the end is explained.
const KEEP_MICROS = 60e6
const MAX_RUNS = 2000
// Two samples further apart than this many intervals do not show what ran in between.
const MAX_GAP = 10

class SampledRuns {
  #maxMicros
  /** In order of time. @type {Run[]} */
  #runs = []

  /** @param {{ hz: number }} parts  the sampling rate */
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
   * @returns {Run[]} the runs since then, in order
   */
  since (fromMicros) {
    return this.#runs.filter(({ toMicros }) => toMicros > fromMicros).slice(-MAX_RUNS)
  }
}

/**
 * @param {CpuProfile} window
 * @param {number} maxMicros  the most time that a sample stands for
 * @returns {Run[]} without idle time
 */
function runsOf ({ nodes, samples, timeDeltas, startTime, routes }, maxMicros) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  /** @type {Run[]} */
  const runs = []
  let toMicros = startTime
  samples.forEach((id, index) => {
    toMicros += timeDeltas[index]
    const name = names.get(id)
    if (name === '(idle)' || name === LOOP_IO) return // of the loop's own work only the amount is certain, not when it ran
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
