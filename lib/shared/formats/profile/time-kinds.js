'use strict'

// Whose time it is: a profile's time by kind, and the shares that answer "is it our code at all?".

/** @import { CallTree } from './call-tree' */
/** @import { Frame } from './frame' */

/** @typedef {'app' | 'dependency' | 'wasm' | 'node' | 'native' | 'gc' | 'idle'} TimeKind */

/**
 * @param {Frame} frame
 * @returns {TimeKind}
 */
function timeKindOf ({ name, origin }) {
  if (origin !== 'meta') return origin
  if (name === '(garbage collector)') return 'gc'
  return name === '(idle)' ? 'idle' : 'native'
}

/**
 * @param {CallTree} root
 * @returns {Record<TimeKind, number>} microseconds
 */
function sumTimeKinds (root) {
  const micros = { app: 0, dependency: 0, wasm: 0, node: 0, native: 0, gc: 0, idle: 0 }
  const waiting = [root]
  for (const { frame, selfMicros, children } of waiting) {
    micros[timeKindOf(frame)] += selfMicros
    for (const child of children) waiting.push(child)
  }
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

module.exports = { timeKindOf, sumTimeKinds, summarizeTime }
