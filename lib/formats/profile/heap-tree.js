'use strict'

// Builds the tree of sampled allocations: frames with the bytes that they allocated themselves and the total with everything below them. Pure.

const { sum, sumBy } = require('../../base/sums')
const { callsOf } = require('./callers')
const { describeFrame } = require('./frame')
const { flatten } = require('./nodes')
const { showNames } = require('./shown-names')

/** @import { CallFrame, EncodeContext, ProfileNode } from '../../../types/profile' */
/** @import { Frame } from './frame' */

/**
 * @typedef {object} SampledNode
 * @property {CallFrame} callFrame
 * @property {number} selfSize  bytes, scaled up from the samples
 * @property {number} id
 * @property {SampledNode[]} children
 * @property {{ process: string, bytes: number, samples: number }[]} [processes]  whose selfSize is, in a profile of several
 *
 * @typedef {{ head: SampledNode, samples: { nodeId: number, ordinal: number, size?: number }[] }} SamplingProfile  as V8 gives it
 *
 * @typedef {object} HeapSampling
 * @property {SamplingProfile} profile
 * @property {SamplingProfile | null} before  what it is the difference to
 * @property {number} fromMs  milliseconds since the epoch
 * @property {number} toMs
 *
 * @typedef {object} HeapTree
 * @property {Frame} frame       one object for each function
 * @property {number} selfBytes
 * @property {number} totalBytes
 * @property {HeapTree[]} children
 * @property {NonNullable<SampledNode['processes']>} processes  empty in a profile of one
 */

/**
 * @param {Pick<HeapSampling, 'profile' | 'before'>} sampling
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {HeapTree} the root
 */
function buildHeapTree (sampling, context = {}) {
  /** @type {Map<string, Frame>} */
  const frames = new Map()
  /** @param {SampledNode} node */
  const frameOf = ({ callFrame }) => {
    const key = functionKey(callFrame)
    const frame = frames.get(key) ?? describeFrame(callFrame, context)
    frames.set(key, frame)
    return frame
  }
  /** @param {SampledNode} node @returns {HeapTree} */
  const treeOf = node => ({ frame: frameOf(node), selfBytes: node.selfSize, totalBytes: 0, children: [], processes: node.processes ?? [] })
  const { head } = subtract(sampling)
  const root = treeOf(head)
  const order = [{ tree: root, node: head }]
  for (const { tree, node } of order) {
    for (const child of node.children) {
      const made = treeOf(child)
      tree.children.push(made)
      order.push({ tree: made, node: child })
    }
  }
  for (const { tree } of order.toReversed()) {
    tree.totalBytes = tree.selfBytes + sum(tree.children, child => child.totalBytes)
  }
  showNames(root)
  return root
}

/**
 * What is new, stack by stack; what became less is nothing.
 * @param {Pick<HeapSampling, 'profile' | 'before'>} sampling
 * @returns {SamplingProfile}
 */
function subtract ({ profile, before }) {
  if (before === null) return profile
  const last = before.samples.reduce((last, { ordinal }) => Math.max(last, ordinal), 0)
  return { head: subtractNode(profile.head, before.head), samples: profile.samples.filter(({ ordinal }) => ordinal > last) }
}

/** @param {SampledNode} node @param {SampledNode} was @returns {SampledNode} */
function subtractNode (node, was) {
  const root = { ...node, selfSize: Math.max(0, node.selfSize - was.selfSize) }
  /** @type {{ node: SampledNode, was: SampledNode | undefined }[]} */
  const waiting = [{ node: root, was }]
  for (const { node, was } of waiting) {
    const earlier = new Map(was?.children.map(child => [functionKey(child.callFrame), child]))
    node.children = node.children.map(child => {
      const old = earlier.get(functionKey(child.callFrame))
      const made = { ...child, selfSize: Math.max(0, child.selfSize - (old?.selfSize ?? 0)) }
      waiting.push({ node: made, was: old })
      return made
    })
  }
  return root
}

/** V8's own JSON. JSON.stringify would call itself for each level of the tree. @param {SamplingProfile} profile */
function stringify ({ head, ...rest }) {
  const parts = [JSON.stringify(rest).replace(/}$/, ',"head":')]
  /** @type {(SampledNode | string)[]} */
  const waiting = ['}', head]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      parts.push(next)
      continue
    }
    const { children, ...node } = next
    parts.push(JSON.stringify(node).replace(/}$/, ',"children":['))
    waiting.push(']}')
    for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at], at > 0 ? ',' : '')
  }
  return parts.join('')
}

/**
 * The same in every profile of one sampler. The file is in it for code as it was written: of one script there may be many.
 * @param {CallFrame} callFrame
 */
function functionKey ({ functionName, scriptId, url, lineNumber, columnNumber }) {
  return `${functionName}@${scriptId}:${url}:${lineNumber}:${columnNumber}`
}

/**
 * Bytes by function: allocated in it, and in it or below it.
 * @param {HeapTree} root
 * @returns {{ frame: Frame, selfBytes: number, totalBytes: number }[]} what allocated the most itself first
 */
function bytesByFunction (root) {
  /** @type {Map<Frame, { frame: Frame, selfBytes: number, totalBytes: number }>} */
  const functions = new Map()
  for (const { tree: { frame, selfBytes, totalBytes }, isNested } of callsOf(root.children, ({ frame }) => frame)) {
    const known = functions.get(frame) ?? { frame, selfBytes: 0, totalBytes: 0 }
    functions.set(frame, known)
    known.selfBytes += selfBytes
    if (!isNested) known.totalBytes += totalBytes // a recursion counts once
  }
  return [...functions.values()].sort((a, b) => b.selfBytes - a.selfBytes || b.totalBytes - a.totalBytes)
}

/**
 * @param {HeapTree} root
 * @returns {{ process: string, bytes: number }[]} the heaviest first; empty in a profile of one process
 */
function bytesByProcess (root) {
  const held = flatten(root).flatMap(({ processes }) => processes)
  return [...sumBy(held, ({ process }) => process, ({ bytes }) => bytes)].map(([process, bytes]) => ({ process, bytes })).sort((a, b) => b.bytes - a.bytes)
}

/**
 * @param {any} profile  of a file
 * @returns {profile is SamplingProfile}
 */
function isHeapProfile (profile) {
  const waiting = [profile?.head]
  for (const node of waiting) {
    const { callFrame, selfSize, children } = Object(node)
    if (typeof callFrame?.functionName !== 'string' || typeof callFrame.url !== 'string') return false
    if (!Number.isFinite(selfSize) || !Array.isArray(children)) return false
    for (const child of children) waiting.push(child)
  }
  return Array.isArray(profile.samples)
}

/** @param {SampledNode} node @returns {ProfileNode} */
function toProfileNode ({ id, callFrame, children }) {
  return { id, callFrame, children: children.map(child => child.id) }
}

module.exports = { buildHeapTree, bytesByFunction, bytesByProcess, functionKey, isHeapProfile, stringify, subtract, toProfileNode }
