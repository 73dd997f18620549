'use strict'

// Finds the hot spots of a longer time: takes out the heaviest place, then the heaviest of the rest, and so on. Each is described like the culprit
// of a stall. Pure but for the source lines.

const { sum, sumBy } = require('../../base/sums')
const { packageOf } = require('../../formats/profile/frame')
const { awaitedWorkOf } = require('../../formats/profile/node-api')
const { findSampledCalls } = require('../sync-calls/sampled-calls')
const { findCulprit } = require('../stalls/culprit/find-culprit')
const { onlySamples } = require('./samples')

/** @import { CodeFrame, Culprit } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { HotSpot } from '../../shared/findings/readings' */
/** @import { Frame } from '../../formats/profile/frame' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { Sample, Stack } from './samples' */

const MAX_HOT_SPOTS = 6
// With a smaller share of the busy time it is not a hot spot.
const MIN_SHARE = 0.03
// A function stands for what it calls, unless one of its callees has this share of its time.
const DEEPER_SHARE = 0.65
const MOST = 0.5
// A smaller part of a function's time is not what it is about.
const MIN_CALL_SHARE = 0.1
const MAX_CALLS = 3

/** @typedef {{ samples: Sample[], micros: number }} Group */
/** @typedef {Omit<HotSpot, 'stalls' | 'sinceMs' | 'isStartUp' | 'text' | 'samples' | 'route' | 'routes' | 'waitLoop'> & { samples: Sample[], isLoading: boolean, stack: CodeFrame[] }} SampledHotSpot */

/**
 * @param {CpuProfile} profile
 * @param {object} observed
 * @param {readonly Sample[]} observed.samples
 * @param {number} observed.busyMicros
 * @param {Map<number, Stack>} observed.stacks
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SampledHotSpot[]} heaviest first
 */
function findHotSpots (profile, { samples, busyMicros, stacks }, context) {
  const stackOf = (/** @type {Sample} */ { id }) => /** @type {Stack} */ (stacks.get(id))
  let left = samples.filter(sample => stackOf(sample).state === 'code')
  const hotSpots = []
  while (hotSpots.length < MAX_HOT_SPOTS) {
    const group = heaviestGroup(left, stackOf)
    if (group === null || group.micros < busyMicros * MIN_SHARE) break
    const taken = new Set(group.samples)
    left = left.filter(sample => !taken.has(sample))
    const spot = describeHotSpot(profile, group, { all: samples, busyMicros, stackOf }, context)
    if (spot !== null) hotSpots.push(spot)
  }
  return merged(hotSpots)
}

/**
 * Joins hot spots with the same culprit: a function and its callbacks are taken out one after the other.
 * @param {SampledHotSpot[]} hotSpots
 */
function merged (hotSpots) {
  /** @type {Map<string, SampledHotSpot>} */
  const byPlace = new Map()
  for (const spot of hotSpots) {
    const { file, functionLine, function: name } = spot.culprit
    const key = `${file}:${functionLine} ${name}`
    const known = byPlace.get(key)
    byPlace.set(key, known === undefined
      ? spot
      : { ...known, ms: known.ms + spot.ms, ownMs: known.ownMs + spot.ownMs, queueMs: known.queueMs + spot.queueMs, share: known.share + spot.share, calledShare: calledShareOf(known, spot), samples: inOrder([...known.samples, ...spot.samples]) })
  }
  return [...byPlace.values()].sort((left, right) => right.ms - left.ms)
}

/** Of both, in what the first one names. @param {SampledHotSpot} known @param {SampledHotSpot} other */
function calledShareOf (known, other) {
  const { call, via } = known.culprit
  if (call === null && via === null) return 1
  const isSame = other.culprit.call === call && other.culprit.via?.package === via?.package
  return (known.ms * known.calledShare + (isSame ? other.ms * other.calledShare : 0)) / (known.ms + other.ms)
}

/** @param {Sample[]} samples */
function inOrder (samples) {
  return samples.sort((left, right) => left.index - right.index)
}

/**
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => Stack} stackOf
 * @returns {Group | null}
 */
function heaviestGroup (samples, stackOf) {
  /** @type {Map<Frame | string, Group>} */
  const groups = new Map()
  for (const sample of samples) {
    for (const key of keysOf(stackOf(sample))) {
      const group = groups.get(key) ?? { samples: [], micros: 0 }
      groups.set(key, group)
      group.samples.push(sample)
      group.micros += sample.micros
    }
  }
  const most = Math.max(0, ...[...groups.values()].map(({ micros }) => micros))
  // Callees have less time than their callers: the group with the least time that still has most of it is the innermost.
  const [innermost = null] = [...groups.values()].filter(({ micros }) => micros > 0 && micros >= most * DEEPER_SHARE)
    .sort((left, right) => left.micros - right.micros)
  return innermost
}

/** @param {Stack} stack @returns {Set<Frame | string>} each once, even if recursive */
function keysOf ({ run, called }) {
  if (run.length > 0) return new Set(run)
  return new Set(called === null ? [] : [called])
}

/**
 * @param {CpuProfile} profile
 * @param {Group} group
 * @param {{ all: readonly Sample[], busyMicros: number, stackOf: (sample: Sample) => Stack }} of
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SampledHotSpot | null}
 */
function describeHotSpot (profile, group, { all, busyMicros, stackOf }, context) {
  const { samples, micros } = group
  const part = onlySamples(profile, samples)
  const most = findCulprit(part, { ...context, culpritShare: MOST })
  // Of a package whose work divides over many of its functions, none has most of the time: the heaviest stands for it, but not what that calls.
  const isDivided = most.culprit === null
  const { culprit: heaviest, origin, stack } = isDivided ? findCulprit(part, { ...context, culpritShare: 0 }) : most
  if (heaviest === null) return null
  const culprit = isDivided && origin === 'dependency' ? { ...heaviest, call: null, via: null } : heaviest
  const isMostly = (/** @type {(stack: Stack) => boolean} */ is) => {
    return sum(samples, sample => is(stackOf(sample)) ? sample.micros : 0) >= micros * MOST
  }
  /** @type {<Value>(of: (stack: Stack) => Value | null) => Value | null} */
  const mostOf = of => {
    const values = new Set(samples.map(sample => of(stackOf(sample))))
    return [...values].find(value => value !== null && isMostly(stack => of(stack) === value)) ?? null
  }
  return {
    culprit,
    calledShare: isDivided ? 1 : most.calledShare,
    stack,
    origin: origin === 'dependency' ? 'dependency' : 'app',
    ms: micros / 1e3,
    ownMs: sum(samples, sample => isInnermost(stackOf(sample), culprit) ? sample.micros : 0) / 1e3,
    share: micros / Math.max(1, busyMicros),
    samples,
    isOwn: isMostly(({ isOwn }) => isOwn),
    isLogging: isMostly(({ logger }) => logger !== null),
    isWriting: isMostly(({ socket }) => socket === 'write'),
    isStreaming: isMostly(({ isStreaming, socket }) => isStreaming && socket !== 'write'),
    queueMs: isMostly(({ isTask }) => isTask) ? queueMicros(all, group, stackOf) / 1e3 : 0,
    nodeCalls: isMostly(({ nodeCall }) => nodeCall !== null) ? nodeCallsOf(group, stackOf) : [],
    development: mostOf(({ development }) => development),
    inPackage: mostOf(({ inPackage }) => inPackage),
    compiling: mostOf(({ compiling }) => compiling),
    converter: converterOf(mostOf(({ converter }) => converter)),
    isLoading: isMostly(({ isLoading }) => isLoading),
    sync: syncOf(part, micros)
  }
}

/** @param {Group} group @param {(sample: Sample) => Stack} stackOf @returns {string[]} most time first */
function nodeCallsOf ({ samples, micros }, stackOf) {
  const byName = sumBy(samples.filter(sample => stackOf(sample).nodeCall !== null), sample => /** @type {string} */ (stackOf(sample).nodeCall), sample => sample.micros)
  return [...byName].filter(([, of]) => of >= micros * MIN_CALL_SHARE).sort(([, left], [, right]) => right - left).slice(0, MAX_CALLS).map(([name]) => name)
}

/** @param {Frame | null} frame @returns {SampledHotSpot['converter']} */
function converterOf (frame) {
  return frame && { function: frame.name, file: frame.file, line: frame.line, column: frame.column, package: frame.origin === 'dependency' ? packageOf(frame.file) : null }
}

/**
 * Whether the culprit is the innermost named function: anonymous comparators and callbacks passed to builtins do not count.
 * @param {Stack} stack
 * @param {Culprit} culprit
 */
function isInnermost ({ run }, { file, function: name, functionLine }) {
  const innermost = run.find(frame => frame.name !== '(anonymous)') ?? run[0]
  if (innermost === undefined) return true
  return innermost.file === file && (awaitedWorkOf(innermost)?.function ?? innermost.name) === name && innermost.line === functionLine
}

/**
 * The time of V8's queue between tasks: in a function of its own, or in the engine's time. Between two samples of one long task there is none of
 * that.
 * @param {readonly Sample[]} all
 * @param {Group} group
 * @param {(sample: Sample) => Stack} stackOf
 */
function queueMicros (all, { samples }, stackOf) {
  const own = new Set(samples)
  let micros = 0
  let sinceTask = NaN // NaN until a task of the group has run
  for (const sample of all) {
    const { state, isTasks } = stackOf(sample)
    if (own.has(sample)) {
      micros += sinceTask || 0
      sinceTask = 0
    } else if (state === 'engine' || isTasks) {
      sinceTask += sample.micros
    } else if (state !== 'gc') {
      sinceTask = NaN
    }
  }
  return micros
}

/** @param {CpuProfile} part @param {number} micros @returns {HotSpot['sync']} */
function syncOf (part, micros) {
  const calls = findSampledCalls(part).calls.sort((left, right) => right.micros - left.micros)
  if (calls.length === 0) return null
  return { api: calls[0].api, share: Math.min(1, sum(calls, call => call.micros) / micros) }
}

/**
 * The time of samples by the route that each ran for.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => string | null} [otherwise]  the route of a sample without a label
 * @returns {Map<string | null, number>} null: no request, or an unknown one
 */
function microsByRoute ({ routes }, samples, otherwise = () => null) {
  return sumBy(samples, sample => routes?.names[routes.samples[sample.index]] ?? otherwise(sample), ({ micros }) => micros)
}

/**
 * @param {ReadonlyMap<string | null, number>} byRoute
 * @returns {string | null} the route that has more than half of the time
 */
function routeOfMost (byRoute) {
  const whole = sum([...byRoute.values()], micros => micros)
  const [most] = [...byRoute].find(([, micros]) => micros > whole * MOST) ?? [null]
  return most
}

module.exports = { findHotSpots, microsByRoute, routeOfMost }
