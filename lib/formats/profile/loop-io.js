'use strict'

// Finds the idle samples of a window that were CPU time of the event loop itself. V8 counts a thread as idle from the moment it polls for events
// until JavaScript runs again, but libuv reads, accepts and writes in between. Pure.
//
// Only the number of these samples is known, not which ones they are: so they are spread over the idle time between two readings of the CPU time of
// the thread.

const { LOOP_IO } = require('./frame')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */

/**
 * @typedef {{ micros: number, cpuMicros: number }} CpuReading  when, by the clock of the profile, and the thread's CPU time so far
 *
 * @typedef {object} Stretch  of a window, between two readings
 * @property {number} toMicros
 * @property {number} cpuMicros
 * @property {number} busyMicros  that the samples saw
 * @property {number} idleMicros
 * @property {number} samples
 */

/** @type {CallFrame} */
const FRAME = Object.freeze({ functionName: LOOP_IO, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

// Shorter stretches hold too few samples to be compared with anything.
const MIN_STRETCH_MICROS = 400e3

/**
 * @param {CpuProfile} window  in order
 * @param {readonly CpuReading[]} readings  in order
 * @returns {Stretch[]} those of which the CPU time is known, in order
 */
function stretchesOf ({ nodes, samples, timeDeltas, startTime, endTime }, readings) {
  const idle = idleIds(nodes)
  const fromMicros = Math.max(startTime, readings[0]?.micros ?? Infinity)
  const toMicros = Math.min(endTime, readings.at(-1)?.micros ?? -Infinity)
  if (toMicros - fromMicros < MIN_STRETCH_MICROS) return []
  const bounds = [fromMicros]
  for (const { micros } of readings) {
    if (micros - bounds[bounds.length - 1] >= MIN_STRETCH_MICROS && toMicros - micros >= MIN_STRETCH_MICROS) bounds.push(micros)
  }
  bounds.push(toMicros)
  const stretches = bounds.slice(1).map((end, index) => ({
    toMicros: end,
    cpuMicros: Math.min(end - bounds[index], cpuAt(readings, end) - cpuAt(readings, bounds[index])),
    busyMicros: 0,
    idleMicros: 0,
    samples: 0
  }))
  let at = startTime
  let current = 0
  samples.forEach((id, index) => {
    const delta = timeDeltas[index]
    at += delta
    const middle = at - delta / 2
    if (middle <= fromMicros || middle > toMicros) return
    while (middle > stretches[current].toMicros) current++
    stretches[current].samples++
    stretches[current][idle.has(id) ? 'idleMicros' : 'busyMicros'] += delta
  })
  return stretches
}

/**
 * @param {readonly CpuReading[]} readings
 * @param {number} micros  between the first and the last
 */
function cpuAt (readings, micros) {
  const index = Math.max(1, readings.findIndex(reading => reading.micros >= micros))
  const [before, after] = [readings[index - 1], readings[index]]
  const share = after.micros === before.micros ? 1 : (micros - before.micros) / (after.micros - before.micros)
  return before.cpuMicros + (after.cpuMicros - before.cpuMicros) * share
}

/**
 * @param {CpuProfile} window
 * @param {{ toMicros: number, share: number }[]} stretches  in order; share: of the idle time up to there, that was the loop's own
 * @returns {CpuProfile}
 */
function withLoopIo (window, stretches) {
  const { nodes, timeDeltas, startTime } = window
  const idle = idleIds(nodes)
  const id = nodes.reduce((most, node) => Math.max(most, node.id), 0) + 1
  let at = startTime
  let current = 0
  let owedMicros = 0
  const samples = window.samples.map((sample, index) => {
    const delta = timeDeltas[index]
    at += delta
    while (current < stretches.length - 1 && at - delta / 2 > stretches[current].toMicros) current++
    if (!idle.has(sample)) return sample
    owedMicros += delta * (at - delta / 2 > stretches[current].toMicros ? 0 : stretches[current].share)
    if (owedMicros < delta / 2 || delta === 0) return sample
    owedMicros -= delta
    return id
  })
  const [root, ...others] = nodes
  return { ...window, nodes: [{ ...root, children: [...root.children ?? [], id] }, ...others, { id, callFrame: FRAME }], samples }
}

/** @param {CpuProfile['nodes']} nodes */
function idleIds (nodes) {
  return new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)' && callFrame.url === '').map(({ id }) => id))
}

module.exports = { stretchesOf, withLoopIo }
