'use strict'

// Time that is spent all over an application: writing logs, making Buffers, loading modules, the queues of tasks, the collector; and for which of its
// functions most of it was. Pure.

/** @import { Place, Topic } from '../../shared/findings/readings' */
/** @import { Frame } from '../../shared/formats/profile/frame' */
/** @import { Stack } from './frames' */
/** @import { Sample } from './samples' */

// What ran so shortly before a collection is what filled the heap.
const MAX_BEFORE_MICROS = 50e3
const MIN_WHERE_SHARE = 0.3

/**
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => Stack} stackOf
 * @returns {Record<'logging' | 'loading' | 'tasks' | 'collected' | 'buffers', Topic>}
 */
function findTopics (samples, stackOf) {
  const sums = { logging: createSum(), loading: createSum(), tasks: createSum(), collected: createSum(), buffers: createSum() }
  /** @type {{ atMicros: number, place: Frame | null } | undefined} */
  let before
  for (const { id, index, micros, atMicros } of samples) {
    const stack = stackOf({ id, index, micros, atMicros })
    const place = stack.run.find(({ name }) => name !== '(anonymous)') ?? stack.run[0] ?? null
    if (stack.state === 'gc') sums.collected.add(micros, before !== undefined && atMicros - micros - before.atMicros < MAX_BEFORE_MICROS ? before.place : null)
    if (stack.state === 'code') before = { atMicros, place }
    else if (before !== undefined && stack.state === 'gc') before.atMicros = atMicros // one collection is many samples
    if (stack.isLogging) sums.logging.add(micros, place)
    if (stack.isBuffer) sums.buffers.add(micros, place)
    if (stack.isLoading) sums.loading.add(micros, place)
    // The queue calls the tasks: whose they are is seen in the samples beside.
    if (stack.isTasks) sums.tasks.add(micros, before?.place ?? null)
  }
  return { logging: sums.logging.read(), loading: sums.loading.read(), tasks: sums.tasks.read(), collected: sums.collected.read(), buffers: sums.buffers.read() }
}

function createSum () {
  let all = 0
  /** @type {Map<Frame, number>} */
  const places = new Map()
  return {
    /** @param {number} micros @param {Frame | null} place */
    add (micros, place) {
      all += micros
      if (place !== null) places.set(place, (places.get(place) ?? 0) + micros)
    },
    /** @returns {Topic} */
    read () {
      const [most] = [...places].sort(([, left], [, right]) => right - left)
      return { ms: all / 1e3, where: most === undefined || most[1] < all * MIN_WHERE_SHARE ? null : toPlace(most[0]) }
    }
  }
}

/**
 * @param {Frame} frame
 * @returns {Place}
 */
function toPlace ({ name, file, line, column }) {
  return { function: name, file, line, column }
}

module.exports = { findTopics }
