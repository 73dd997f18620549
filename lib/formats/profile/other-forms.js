'use strict'

// Converts profiles of other versions and tools to the current format of V8: nested trees, `parent` instead of `children`, functions described in the
// node itself, timestamps, or only counts. Pure. Data that is not a profile is returned unchanged, and the checks that follow report what is wrong
// with it.

const { builtinModules } = require('node:module')

/** @import { CallFrame } from '../../../types/profile' */

const MICROS_PER_SECOND = 1e6
// In which unit a file may have the times of its beginning and end; its timestamps are microseconds.
const UNITS = Object.freeze([1, 1e3, MICROS_PER_SECOND])
// No recording is longer, so larger values are not seconds.
const MAX_SECONDS = 86_400
// Samples are made of counts: of a wrong one too many.
const MAX_SAMPLES = 10_000_000

// V8's own functions in JavaScript, before 2018.
const NATIVE = /^native /
// Before Node.js 15 its own files had no scheme.
const NODE_FILE = /^(internal\/[\w/-]+|[\w/]+)\.js$/
const BUILTIN = new Set([...builtinModules, 'bootstrap_node'])

/**
 * @param {any} profile  of a file
 * @returns {any} a CPU profile, as far as it is one
 */
function toCpuProfile (profile) {
  if (!isObject(profile)) return profile
  const { head, nodes: flat, ...rest } = profile
  const nested = Array.isArray(flat) ? flat : flatten(head)
  if (nested === null || !nested.every(isObject)) return profile
  const nodes = withChildren(nested.map(toNode))
  return { ...rest, nodes, ...timesOf(profile, nodes) }
}

/**
 * @param {any} profile  of a file
 * @returns {any} a heap profile, as far as it is one
 */
function toHeapProfile (profile) {
  if (!isObject(profile?.head)) return profile
  let count = 0
  const toHeapNode = (/** @type {any} */ node) => ({ ...toNode(Object(node)), id: node?.id ?? ++count, children: node?.children ?? [] })
  const head = toHeapNode(profile.head)
  const waiting = [head]
  for (const node of waiting) {
    if (!Array.isArray(node.children)) continue
    node.children = node.children.map(toHeapNode)
    for (const child of node.children) waiting.push(child)
  }
  return { ...profile, head, samples: profile.samples ?? [] }
}

/**
 * @param {any} head  with its children in it, and theirs in them
 * @returns {any[] | null} all of them, with the ids of their children; null where there is none
 */
function flatten (head) {
  if (!isObject(head)) return null
  const nodes = [head]
  for (const { children } of nodes) if (Array.isArray(children)) for (const child of children) nodes.push(Object(child))
  const hasIds = nodes.every(({ id }) => Number.isInteger(id))
  const ids = new Map(nodes.map((node, index) => [node, hasIds ? node.id : index + 1]))
  return nodes.map(node => {
    const children = Array.isArray(node.children) ? node.children.map((/** @type {any} */ child) => ids.get(child)) : []
    return { ...node, id: ids.get(node), children }
  })
}

/** @param {any} node */
function toNode (node) {
  return { ...node, callFrame: toCallFrame(node) }
}

/** @param {any} node @returns {CallFrame} */
function toCallFrame (node) {
  // Where a node describes its function itself, lines and columns count from 1.
  const [frame, first] = isObject(node.callFrame) ? [node.callFrame, 0] : [node, 1]
  const { functionName = '', scriptId = '0', url = '', lineNumber, columnNumber } = frame
  const isNative = NATIVE.test(url)
  return {
    functionName,
    scriptId: isNative ? '0' : String(scriptId),
    url: isNative ? '' : toUrl(url),
    lineNumber: Number.isInteger(lineNumber) ? lineNumber - first : -1,
    columnNumber: Number.isInteger(columnNumber) ? columnNumber - first : -1
  }
}

/** @param {any} url */
function toUrl (url) {
  const [, name = ''] = NODE_FILE.exec(url) ?? []
  return name.startsWith('internal/') || BUILTIN.has(name) ? `node:${name}` : url
}

/** @param {any[]} nodes */
function withChildren (nodes) {
  if (nodes.some(({ children }) => children !== undefined)) return nodes
  /** @type {Map<number, number[]>} */
  const below = new Map(nodes.map(({ id }) => [id, []]))
  for (const { id, parent } of nodes) below.get(parent)?.push(id)
  return nodes.map(node => ({ ...node, children: below.get(node.id) }))
}

/** @param {any} profile @param {any[]} nodes */
function timesOf (profile, nodes) {
  const { timestamps, timeDeltas } = profile
  const samples = profile.samples ?? samplesOf(nodes)
  const { startTime, endTime } = inMicros(profile)
  if (!Array.isArray(samples) || Array.isArray(timeDeltas)) return { samples, startTime, endTime }
  if (isTimes(timestamps, samples)) return { samples, ...ofTimestamps(timestamps, { startTime, endTime }) }
  const interval = samples.length === 0 ? 0 : (endTime - startTime) / samples.length
  return { samples, startTime, endTime, timeDeltas: samples.map(() => interval) }
}

/** @param {number[]} timestamps @param {{ startTime: any, endTime: any }} times */
function ofTimestamps (timestamps, { startTime = timestamps[0] ?? 0, endTime = timestamps.at(-1) ?? startTime }) {
  return { startTime, endTime, timeDeltas: timestamps.map((at, index) => at - (timestamps[index - 1] ?? startTime)) }
}

/** @param {any} timestamps @param {any[]} samples */
function isTimes (timestamps, samples) {
  return Array.isArray(timestamps) && timestamps.length === samples.length && timestamps.every(Number.isFinite)
}

/** The beginning and the end of a profile of the old form are seconds, mostly. @param {any} profile */
function inMicros ({ head, nodes, timestamps, startTime, endTime }) {
  const isOld = isObject(head) && !Array.isArray(nodes)
  if (!isOld || !Number.isFinite(startTime) || !Number.isFinite(endTime)) return { startTime, endTime }
  const unit = Array.isArray(timestamps) && Number.isFinite(timestamps[0])
    ? UNITS.toSorted((a, b) => Math.abs(startTime * a - timestamps[0]) - Math.abs(startTime * b - timestamps[0]))[0]
    : endTime - startTime > MAX_SECONDS ? 1 : MICROS_PER_SECOND
  return { startTime: startTime * unit, endTime: endTime * unit }
}

/**
 * @param {any[]} nodes
 * @returns {number[] | undefined} as many as were counted of each node; undefined where none were counted
 */
function samplesOf (nodes) {
  const hits = nodes.map(({ hitCount, positionTicks }) => hitCount ?? sumOfTicks(positionTicks))
  if (hits.every(count => count === undefined)) return undefined
  const all = hits.reduce((sum, count = 0) => sum + (Number.isInteger(count) && count >= 0 ? count : Infinity), 0)
  return all > MAX_SAMPLES ? undefined : nodes.flatMap(({ id }, index) => new Array(hits[index] ?? 0).fill(id))
}

/** @param {any} positionTicks */
function sumOfTicks (positionTicks) {
  return Array.isArray(positionTicks) ? positionTicks.reduce((sum, one) => sum + one?.ticks, 0) : undefined
}

/** @param {any} value */
function isObject (value) {
  return typeof value === 'object' && value !== null
}

module.exports = { toCpuProfile, toHeapProfile }
