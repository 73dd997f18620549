'use strict'

// Google's pprof, gzipped: for `go tool pprof`, Pyroscope, Parca, Speedscope and others.
// Idle time is left out, as Go leaves it out of its CPU profiles: the values are CPU time, and `-top` is in percent of it.
// Where it is known for which route a sample ran, the label http_route says it; of several processes the label pid says of which it is,
// of several threads the label thread.

const { gzipSync } = require('node:zlib')
const { Profile, Sample } = require('pprof-format')
const { buildCallTree } = require('./profile/call-tree')
const { Tables } = require('./pprof/tables')
const { timeKindOf } = require('./profile/time-kinds')

/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { CallTree, Spent } from './profile/call-tree' */

/** @typedef {{ tables: Tables, partLabel: string }} Target  partLabel: of the parts of a merged profile */

/**
 * @param {CpuProfile} profile
 * @param {EncodeContext} [context]
 * @returns {Buffer}
 */
function encodePprof (profile, context) {
  return gzipSync(buildPprof(profile, context).encode())
}

/**
 * @param {CpuProfile} profile
 * @param {EncodeContext} [context]
 */
function buildPprof (profile, context = {}) {
  const tables = new Tables()
  const sample = sampleTree(buildCallTree(profile, context), { tables, partLabel: profile.processes?.of ?? 'pid' })
  const cpu = tables.valueType('cpu', 'nanoseconds')
  return new Profile({
    sampleType: [tables.valueType('samples', 'count'), cpu],
    sample,
    mapping: [tables.mapping()],
    location: tables.locations,
    function: tables.functions,
    timeNanos: BigInt(Math.round((context.startedAt ?? 0) * 1e3)) * 1000n,
    durationNanos: Math.round((profile.processes?.wallMicros ?? profile.endTime - profile.startTime) * 1e3),
    periodType: cpu,
    period: Math.round(medianMicros(profile.timeDeltas) * 1e3),
    defaultSampleType: tables.strings.dedup('cpu'),
    comment: commentsOf(context).map(line => tables.strings.dedup(line)),
    stringTable: tables.strings
  })
}

/** @param {EncodeContext} context */
function commentsOf ({ title, notes = [] }) {
  return title === undefined ? notes : [title, ...notes]
}

/**
 * The profile does not say its sampling interval; late samples pull the mean, not the median.
 * @param {number[]} micros
 */
function medianMicros (micros) {
  return micros.toSorted((a, b) => a - b)[micros.length >> 1] ?? 0
}

/**
 * @param {CallTree} root
 * @param {Target} target
 */
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

/**
 * @param {CallTree} tree
 * @returns {{ route: string | null, pid: string | null, spent: Spent }[]}
 */
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

module.exports = { buildPprof, encodePprof }
