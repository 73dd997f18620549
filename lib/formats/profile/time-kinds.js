'use strict'

// Sums the time of a profile by kind of code, by process and by route, to show whether the application's code takes it. Pure.

const { flatten } = require('./nodes')
const { sum, sumBy } = require('../../base/sums')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { CallTree } from './call-tree' */
/** @import { Frame } from './frame' */

/**
 * @typedef {'app' | 'dependency' | 'wasm' | 'node' | 'native' | 'gc' | 'idle'} TimeKind
 * @typedef {{ process: string, micros: number, busyMicros: number }} ProcessTime  busyMicros: without idle time
 * @typedef {{ route: string | null, micros: number }} RouteTime  null: outside requests, or of an unknown one
 */

/** @param {Frame} frame @returns {TimeKind} */
function timeKindOf ({ name, origin }) {
  if (origin !== 'meta') return origin
  if (name === '(garbage collector)') return 'gc'
  return name === '(idle)' ? 'idle' : 'native'
}

/** @param {CallTree} root @returns {Record<TimeKind, number>} microseconds */
function sumTimeKinds (root) {
  const micros = { app: 0, dependency: 0, wasm: 0, node: 0, native: 0, gc: 0, idle: 0 }
  for (const { frame, selfMicros } of flatten(root)) micros[timeKindOf(frame)] += selfMicros
  return micros
}

/**
 * @param {CallTree} root
 * @returns {{ javascript: number, wasm: number, native: number, gc: number, idle: number, busy: number }} microseconds; busy is all but idle
 */
function summarizeTime (root) {
  const { app, dependency, wasm, node, native, gc, idle } = sumTimeKinds(root)
  const javascript = app + dependency
  return { javascript, wasm, native: node + native, gc, idle, busy: javascript + wasm + node + native + gc }
}

/**
 * The time of each process in a merged profile.
 * @param {CallTree} root
 * @returns {ProcessTime[]} busiest first; empty if the profile is of one process
 */
function timesByProcess (root) {
  /** @type {Map<string, ProcessTime>} */
  const times = new Map()
  for (const { frame, processes } of flatten(root)) {
    const isIdle = timeKindOf(frame) === 'idle'
    for (const [process, routes] of processes) {
      const time = times.get(process) ?? { process, micros: 0, busyMicros: 0 }
      times.set(process, time)
      const micros = sum(routes.values(), spent => spent.micros)
      time.micros += micros
      if (!isIdle) time.busyMicros += micros
    }
  }
  return [...times.values()].sort((a, b) => b.busyMicros - a.busyMicros)
}

/**
 * @param {number} micros  of the whole profile
 * @param {CpuProfile['processes']} processes  of a merged profile
 * @returns {string} its duration, as text
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

/**
 * The busy time by route, for a profile whose samples have routes.
 * @param {CallTree} root
 * @returns {RouteTime[]} heaviest first; empty if the profile has no routes
 */
function timesByRoute (root) {
  const spent = flatten(root).flatMap(({ frame, routes }) => timeKindOf(frame) === 'idle' ? [] : [...routes])
  const microsByRoute = sumBy(spent, ([route]) => route, ([, { micros }]) => micros)
  return [...microsByRoute].map(([route, micros]) => ({ route, micros })).sort((a, b) => b.micros - a.micros)
}

module.exports = { describeTotal, kindOf, kindsOf, summarizeTime, timeKindOf, timesByProcess, timesByRoute }
