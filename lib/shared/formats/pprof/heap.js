'use strict'

// Sampled allocations as pprof, with Go's names: `inuse_space` for what is alive, `alloc_space` for all that was allocated.
// Pure; gzipped by the format.

const { gzipSync } = require('node:zlib')
const { Profile, Sample } = require('pprof-format')
const { createFrameOf } = require('../profile/frame')
const { functionKey } = require('../profile/heap-tree')
const { showNames } = require('../profile/shown-names')
const { Tables } = require('./tables')

/** @import { EncodeContext } from '../../../../types/profile' */
/** @import { Frame } from '../profile/frame' */
/** @import { SampledNode, SamplingProfile } from '../profile/heap-tree' */

/**
 * @typedef {{ count: number, bytes: number }} Held
 * @typedef {{ frame: Frame, node: SampledNode, was: SampledNode | null, children: Paired[] }} Paired
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
  const [counts, earlierCounts] = [profile, before].map(countByNode)
  /** @type {Sample[]} */
  const samples = []
  for (const { tree: { frame, node, was }, callerIds } of tables.stacksBelow(pairTrees(profile, before, context))) {
    const count = (counts.get(node.id) ?? 0) - (was === null ? 0 : earlierCounts.get(was.id) ?? 0)
    const parts = partsOf(node, { count: Math.max(0, count), bytes: Math.max(0, node.selfSize - (was?.selfSize ?? 0)) })
    if (parts.length === 0) continue
    const locationId = [tables.locationId(frame, frame.line), ...callerIds()]
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

/** @param {SamplingProfile | null} profile */
function countByNode (profile) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const { nodeId } of profile?.samples ?? []) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1)
  return counts
}

/**
 * @param {SamplingProfile} profile
 * @param {SamplingProfile | null} before
 * @param {Pick<EncodeContext, 'appRoot'>} context
 * @returns {Paired} its tree, each node with the one of the same stack before
 */
function pairTrees (profile, before, context) {
  const frameOf = createFrameOf(context)
  /**
   * @param {SampledNode} node
   * @param {SampledNode | null} was
   * @returns {Paired}
   */
  const pair = (node, was) => ({ frame: frameOf(node.callFrame), node, was, children: [] })
  const root = pair(profile.head, before?.head ?? null)
  const waiting = [root]
  for (const { node, was, children } of waiting) {
    const earlier = new Map(was?.children.map(child => [functionKey(child.callFrame), child]))
    for (const child of node.children) {
      const made = pair(child, (earlier.size > 0 && earlier.get(functionKey(child.callFrame))) || null)
      children.push(made)
      waiting.push(made)
    }
  }
  showNames(root)
  return root
}

module.exports = { buildHeapPprof, encodeHeapPprof }
