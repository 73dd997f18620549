'use strict'

// Encodes Google's pprof, gzipped: for `go tool pprof`, Pyroscope, Parca, Speedscope and others. A CPU profile, sampled allocations, blocked time of
// the event loop, and a profile without samples. Pure.

const { gzipSync } = require('node:zlib')
const { Sample } = require('pprof-format')
const { countBy, median } = require('../base/sums')
const { Tables } = require('./pprof-tables')
const { buildCallTree } = require('./profile/call-tree')
const { createFrameOf, describeFrame } = require('./profile/frame')
const { functionKey } = require('./profile/heap-tree')
const { showNames, shownStack } = require('./profile/shown-names')
const { timeKindOf } = require('./profile/time-kinds')

/** @import { CodeFrame, ExactSyncCall, Stall } from '../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { CallTree, Spent } from './profile/call-tree' */
/** @import { Frame } from './profile/frame' */
/** @import { HeapSampling, SampledNode, SamplingProfile } from './profile/heap-tree' */

/**
 * @typedef {{ tables: Tables, partLabel: string }} Target  partLabel: of the parts of a merged profile
 * @typedef {{ count: number, bytes: number }} Held
 * @typedef {{ frame: Frame, node: SampledNode, was: SampledNode | null, children: Paired[] }} Paired
 *
 * @typedef {HeapSampling & { kind: 'inuse' | 'alloc' }} SampledAllocations
 *
 * @typedef {object} Blocked
 * @property {Frame[]} stack  innermost first
 * @property {string | null} route
 * @property {number} count
 * @property {number} ms
 */

const NANOS_PER_MS = 1e6

/**
 * Without idle time, as in Go's CPU profiles: the values are CPU time, and `-top` is in percent of it.
 * If the route of a sample is known, it has the label http_route; samples of a merged profile have the label pid, or thread.
 * @param {CpuProfile} profile
 * @param {EncodeContext} [context]
 * @returns {Buffer}
 */
function encodePprof (profile, context) {
  return gzipSync(buildPprof(profile, context).encode())
}

/** @param {CpuProfile} profile @param {EncodeContext} [context] */
function buildPprof (profile, context = {}) {
  const tables = new Tables()
  const sample = sampleTree(buildCallTree(profile, context), { tables, partLabel: profile.processes?.of ?? 'pid' })
  const cpu = tables.valueType('cpu', 'nanoseconds')
  return tables.toProfile(context.startedAt ?? 0, {
    sampleType: [tables.valueType('samples', 'count'), cpu],
    sample,
    durationNanos: Math.round((profile.processes?.wallMicros ?? profile.endTime - profile.startTime) * 1e3),
    periodType: cpu,
    // The profile does not contain its sampling interval; late samples pull the mean, not the median.
    period: Math.round(median(profile.timeDeltas) * 1e3),
    defaultSampleType: tables.strings.dedup('cpu'),
    comment: commentsOf(context).map(line => tables.strings.dedup(line))
  })
}

/** @param {EncodeContext} context */
function commentsOf ({ title, notes = [] }) {
  return title === undefined ? notes : [title, ...notes]
}

/** @param {CallTree} root @param {Target} target */
function sampleTree (root, target) {
  /** @type {Sample[]} */
  const samples = []
  for (const stack of target.tables.stacksBelow(root)) {
    if (timeKindOf(stack.tree.frame) === 'idle') continue
    for (const sample of samplesOf(stack, target)) samples.push(sample)
  }
  return samples
}

/**
 * One sample for each route and process, and of it one for each line of the function in which time was spent, so that `-list` and `-lines`
 * show them.
 * @param {{ tree: CallTree, callerIds: () => number[] }} stack
 * @param {Target} target
 */
function samplesOf ({ tree, callerIds }, { tables, partLabel }) {
  const { frame, selfMicros, selfSamples, lines } = tree
  if (selfSamples === 0) return []
  const hasLines = lines.size > 0 && selfMicros > 0
  const shares = hasLines ? [...lines].map(([line, micros]) => ({ line, share: micros / selfMicros })) : [{ line: frame.line, share: 1 }]
  const callers = callerIds()
  return partsOf(tree).flatMap(({ route, pid, spent }) => {
    const label = tables.labels({ http_route: route, [partLabel]: pid })
    return divide(spent, shares).map(({ line, value }) => new Sample({ locationId: [tables.locationId(frame, line), ...callers], value, label }))
  })
}

/** @param {CallTree} tree @returns {{ route: string | null, pid: string | null, spent: Spent }[]} */
function partsOf ({ selfMicros, selfSamples, routes, processes }) {
  if (processes.size > 0) return [...processes].flatMap(([pid, ofProcess]) => [...ofProcess].map(([route, spent]) => ({ route, pid, spent })))
  if (routes.size > 0) return [...routes].map(([route, spent]) => ({ route, pid: null, spent }))
  return [{ route: null, pid: null, spent: { micros: selfMicros, samples: selfSamples } }]
}

/**
 * Rounded as running sums: the parts add up to the whole.
 * @param {Spent} spent
 * @param {{ line: number, share: number }[]} shares
 */
function divide ({ micros, samples }, shares) {
  const nanos = Math.round(micros * 1e3)
  let shareSoFar = 0
  let before = [0, 0]
  return shares.map(({ line, share }, index) => {
    shareSoFar = index === shares.length - 1 ? 1 : shareSoFar + share
    const soFar = [Math.round(samples * shareSoFar), Math.round(nanos * shareSoFar)]
    const value = soFar.map((sum, at) => sum - before[at])
    before = soFar
    return { line, value }
  }).filter(({ value: [count, nanos] }) => count > 0 || nanos > 0)
}

/**
 * With Go's names: `inuse_space` for what is alive, `alloc_space` for all that was allocated.
 * @param {SampledAllocations} sampling
 * @param {Pick<EncodeContext, 'appRoot' | 'title'>} [context]
 * @returns {Buffer}
 */
function encodeHeapPprof (sampling, context) {
  return gzipSync(buildHeapPprof(sampling, context).encode())
}

/** @param {SampledAllocations} sampling @param {Pick<EncodeContext, 'appRoot' | 'title'>} [context] */
function buildHeapPprof ({ profile, before, kind, fromMs, toMs }, context = {}) {
  const tables = new Tables()
  const space = tables.valueType(`${kind}_space`, 'bytes')
  return tables.toProfile(fromMs, {
    sampleType: [tables.valueType('samples', 'count'), space],
    sample: heapSamplesOf(profile, before, tables, context),
    durationNanos: Math.round((toMs - fromMs) * 1e6),
    periodType: space,
    period: 512 * 1024,
    defaultSampleType: tables.strings.dedup(`${kind}_space`),
    comment: commentsOf({ title: context.title }).map(line => tables.strings.dedup(line))
  })
}

/**
 * @param {SamplingProfile} profile
 * @param {SamplingProfile | null} before
 * @param {Tables} tables
 * @param {Pick<EncodeContext, 'appRoot'>} context
 */
function heapSamplesOf (profile, before, tables, context) {
  const [counts, earlierCounts] = [profile, before].map(one => countBy(one?.samples ?? [], ({ nodeId }) => nodeId))
  /** @type {Sample[]} */
  const samples = []
  for (const { tree: { frame, node, was }, callerIds } of tables.stacksBelow(pairTrees(profile, before, context))) {
    const count = (counts.get(node.id) ?? 0) - (was === null ? 0 : earlierCounts.get(was.id) ?? 0)
    const parts = heapPartsOf(node, { count: Math.max(0, count), bytes: Math.max(0, node.selfSize - (was?.selfSize ?? 0)) })
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
function heapPartsOf ({ processes }, { count, bytes }) {
  const parts = processes?.map(one => ({ pid: one.process, value: [one.samples, Math.round(one.bytes)] })) ??
    [{ pid: null, value: [count, Math.round(bytes)] }]
  return parts.filter(({ value: [, bytes] }) => bytes > 0)
}

/**
 * @param {SamplingProfile} profile
 * @param {SamplingProfile | null} before
 * @param {Pick<EncodeContext, 'appRoot'>} context
 * @returns {Paired} its tree, each node with the one of the same stack before
 */
function pairTrees (profile, before, context) {
  const frameOf = createFrameOf(context)
  /** @param {SampledNode} node @param {SampledNode | null} was @returns {Paired} */
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

/**
 * What blocked the event loop as Go's `block` profile: stalls and synchronous calls, each with how often and how long.
 * @param {object} what
 * @param {readonly Stall[]} what.stalls
 * @param {readonly ExactSyncCall[]} what.syncCalls  none while the exact detector is off
 * @param {number} what.fromMs  milliseconds since the epoch
 * @param {number} what.toMs
 * @returns {Buffer}
 */
function encodeBlockProfile ({ stalls, syncCalls, fromMs, toMs }) {
  const tables = new Tables()
  const contentions = tables.valueType('contentions', 'count')
  const delay = tables.valueType('delay', 'nanoseconds')
  const blocked = [...stalls.map(ofStall), ...syncCalls.flatMap(ofCall)]
  const sample = blocked.filter(({ count }) => count > 0).map(one => blockSampleOf(one, tables))
  return gzipSync(tables.toProfile(fromMs, {
    sampleType: [contentions, delay],
    sample,
    durationNanos: Math.round((toMs - fromMs) * NANOS_PER_MS),
    periodType: contentions,
    period: 1,
    defaultSampleType: tables.strings.dedup('delay')
  }).encode())
}

/** @param {Stall} stall @returns {Blocked} */
function ofStall ({ cause, route, stack, durationMs }) {
  const shown = stack.length > 0 ? shownStack(stack.map(toFrame)) : [withoutPlace(`(stall: ${cause})`)]
  return { stack: shown, route, count: 1, ms: durationMs }
}

/** One entry a route. @param {ExactSyncCall} call @returns {Blocked[]} */
function ofCall ({ api, callSite, routes }) {
  return routes.map(({ route, calls, ms }) => ({ stack: [withoutPlace(api), toFrame(callSite)], route, count: calls, ms }))
}

/** @param {CodeFrame} frame */
function toFrame ({ function: functionName, file, line, column }) {
  // Only native functions are on no line.
  return describeFrame({ functionName, scriptId: String(line), url: file, lineNumber: line - 1, columnNumber: column - 1 })
}

/** @param {string} name */
function withoutPlace (name) {
  return toFrame({ function: name, file: '', line: 0, column: 0 })
}

/** @param {Blocked} blocked @param {Tables} tables */
function blockSampleOf ({ stack, route, count, ms }, tables) {
  const locationId = stack.map(frame => tables.locationId(frame, frame.line))
  return new Sample({ locationId, value: [count, Math.round(ms * NANOS_PER_MS)], label: tables.labels({ http_route: route }) })
}

/**
 * A profile without samples, for those who ask for something that a Node.js process does not have.
 * @param {readonly { type: string, unit: string }[]} values  what its samples would count
 * @param {number} atMs  milliseconds since the epoch
 * @returns {Buffer}
 */
function encodeEmptyProfile (values, atMs) {
  const tables = new Tables()
  const sampleType = values.map(({ type, unit }) => tables.valueType(type, unit))
  return gzipSync(tables.toProfile(atMs, {
    sampleType,
    periodType: sampleType[0],
    period: 1
  }).encode())
}

module.exports = { buildHeapPprof, buildPprof, encodeBlockProfile, encodeEmptyProfile, encodeHeapPprof, encodePprof }
