'use strict'

// Sampled allocations as pprof, with Go's names: `inuse_space` for what is alive, `alloc_space` for all that was allocated.
// Pure; gzipped by the format.

const { gzipSync } = require('node:zlib')
const { Profile, Sample } = require('pprof-format')
const { describeFrame } = require('../profile/frame')
const { functionKey } = require('../profile/heap-tree')
const { shownStack } = require('../profile/shown-names')
const { Tables } = require('./tables')

/** @import { EncodeContext } from '../../../../types/profile' */
/** @import { SampledNode, SamplingProfile } from '../profile/heap-tree' */

/**
 * @typedef {{ count: number, bytes: number }} Held
 */

/**
 * @typedef {object} SampledAllocations
 * @property {SamplingProfile} profile
 * @property {SamplingProfile | null} before  what it is the difference to
 * @property {'inuse' | 'alloc'} kind
 * @property {number} fromMs  milliseconds since the epoch
 * @property {number} toMs
 */

/**
 * @param {SampledAllocations} sampling
 * @param {Pick<EncodeContext, 'appRoot' | 'title'>} [context]
 * @returns {Buffer}
 */
function encodeHeapPprof (sampling, context) {
  return gzipSync(buildHeapPprof(sampling, context).encode())
}

/**
 * @param {SampledAllocations} sampling
 * @param {Pick<EncodeContext, 'appRoot' | 'title'>} [context]
 */
function buildHeapPprof ({ profile, before, kind, fromMs, toMs }, context = {}) {
  const tables = new Tables()
  const space = tables.valueType(`${kind}_space`, 'bytes')
  return new Profile({
    sampleType: [tables.valueType('samples', 'count'), space],
    sample: samplesOf(profile, before, tables, context),
    mapping: [tables.mapping()],
    location: tables.locations,
    function: tables.functions,
    timeNanos: BigInt(Math.round(fromMs * 1e3)) * 1000n,
    durationNanos: Math.round((toMs - fromMs) * 1e6),
    periodType: space,
    period: 512 * 1024,
    defaultSampleType: tables.strings.dedup(`${kind}_space`),
    comment: context.title === undefined ? [] : [tables.strings.dedup(context.title)],
    stringTable: tables.strings
  })
}

/**
 * @param {SamplingProfile} profile
 * @param {SamplingProfile | null} before
 * @param {Tables} tables
 * @param {Pick<EncodeContext, 'appRoot'>} context
 */
function samplesOf (profile, before, tables, context) {
  const earlier = before === null ? new Map() : heldByStack(before)
  /** @type {Sample[]} */
  const samples = []
  for (const { key, stack, held } of walk(profile)) {
    const { count = 0, bytes = 0 } = earlier.get(key) ?? {}
    const parts = partsOf(stack[0], { count: Math.max(0, held.count - count), bytes: Math.max(0, held.bytes - bytes) })
    if (parts.length === 0) continue
    const frames = shownStack(stack.map(({ callFrame }) => describeFrame(callFrame, context)))
    const locationId = frames.map(frame => tables.locationId(frame, frame.line))
    for (const { pid, value } of parts) samples.push(new Sample({ locationId, value, label: tables.labels({ pid }) }))
  }
  return samples
}

/**
 * In a profile of several processes one for each.
 * @param {SampledNode} node
 * @param {Held} held  by all of them
 * @returns {{ pid: string | null, value: number[] }[]}
 */
function partsOf ({ processes }, { count, bytes }) {
  const parts = processes?.map(one => ({ pid: one.process, value: [one.samples, Math.round(one.bytes)] })) ??
    [{ pid: null, value: [count, Math.round(bytes)] }]
  return parts.filter(({ value: [, bytes] }) => bytes > 0)
}

/** @param {SamplingProfile} profile */
function heldByStack (profile) {
  return new Map([...walk(profile)].map(({ key, held }) => [key, held]))
}

/**
 * Every stack that holds something, innermost frame first; its key is the same in every profile of one sampler.
 * @param {SamplingProfile} profile
 * @returns {Generator<{ key: string, stack: SampledNode[], held: Held }>}
 */
function * walk ({ head, samples }) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1)
  /** @type {{ node: SampledNode, key: string, above: SampledNode[] }[]} */
  const waiting = head.children.map(node => ({ node, key: functionKey(node.callFrame), above: [] }))
  for (const { node, key, above } of waiting) {
    const stack = [node, ...above]
    if (node.selfSize > 0) yield { key, stack, held: { count: counts.get(node.id) ?? 0, bytes: node.selfSize } }
    for (const child of node.children) waiting.push({ node: child, key: `${key};${functionKey(child.callFrame)}`, above: stack })
  }
}

module.exports = { buildHeapPprof, encodeHeapPprof }
