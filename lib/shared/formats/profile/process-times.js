'use strict'

// The time of each process in a profile of several.

const { timeKindOf } = require('./time-kinds')

/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { CallTree } from './call-tree' */

/** @typedef {{ process: string, micros: number, busyMicros: number }} ProcessTime  busyMicros: that at work */

/**
 * @param {CallTree} root
 * @returns {ProcessTime[]} the busiest first; empty where the profile is of one process
 */
function timesByProcess (root) {
  /** @type {Map<string, ProcessTime>} */
  const times = new Map()
  const waiting = [root]
  for (const { frame, processes, children } of waiting) {
    for (const child of children) waiting.push(child)
    const isIdle = timeKindOf(frame) === 'idle'
    for (const [process, routes] of processes) {
      const time = times.get(process) ?? { process, micros: 0, busyMicros: 0 }
      times.set(process, time)
      const micros = sumMicros(routes)
      time.micros += micros
      if (!isIdle) time.busyMicros += micros
    }
  }
  return [...times.values()].sort((a, b) => b.busyMicros - a.busyMicros)
}

/** @param {ReadonlyMap<string | null, { micros: number }>} routes  of one function in one process */
function sumMicros (routes) {
  let sum = 0
  for (const { micros } of routes.values()) sum += micros
  return sum
}

/**
 * @param {number} micros  of the whole profile
 * @param {CpuProfile['processes']} processes  where it is of several
 * @returns {string} how long it is, in words
 */
function describeTotal (micros, processes) {
  const total = `${(micros / 1e6).toFixed(2)} s`
  if (processes === undefined) return total
  const { names, wallMicros } = processes
  return `${total} of ${names.length} ${names.length === 1 ? kindOf(processes) : kindsOf(processes)} in ${(wallMicros / 1e6).toFixed(2)} s`
}

/** @param {CpuProfile['processes']} processes */
function kindOf (processes) {
  return processes?.of ?? 'process'
}

/** @param {CpuProfile['processes']} processes */
function kindsOf (processes) {
  return processes?.of === 'thread' ? 'threads' : 'processes'
}

module.exports = { describeTotal, kindOf, kindsOf, sumMicros, timesByProcess }
