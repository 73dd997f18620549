'use strict'

// Reads a profile and the stalls of its time for findings: how busy the loop was, with what, and where; the time in system calls of sockets, and
// the time of categories that are spread over an application. Pure but for the source lines.

const { sum, sumBy } = require('../../base/sums')
const { dependencyOf, isInPackage, packageOf } = require('../../formats/profile/frame')
const { stalledMs } = require('../../shared/findings/readings')
const { isUndecided } = require('../../shared/stalls/evidence-text')
const { packageCallsIn, READS_CLOCK, waitLoopAt } = require('../stalls/culprit/call-in-source')
const { findCulprit } = require('../stalls/culprit/find-culprit')
const { onlySamples, readSamples, readStacks, withoutIdleEnds } = require('./samples')
const { findHotSpots, microsByRoute, routeOfMost } = require('./hot-spots')

/** @import { CodeFrame, Culprit, Stall } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Activity, Place, SocketCalls, SocketTime, HotSpot, Category } from '../../shared/findings/readings' */
/** @import { Frame } from '../../formats/profile/frame' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { Sample, Stack } from './samples' */
/** @import { BusySample } from '../what-if/request-model' */

// Code that ran this soon after the start, and not later, belongs to the start-up.
const START_UP_MS = 30_000
const OVER_MS = 1500
// Stalls with these causes are attributed to the code of their culprit.
const BY_CODE = /** @type {readonly Stall['cause'][]} */ (['code', 'gc'])
const MOST = 0.5
// A smaller share of the busy time in sockets is not analyzed.
const MIN_SOCKET_SHARE = 0.1
// Code that ran this shortly before a collection filled the heap.
const MAX_BEFORE_MICROS = 50e3
const MIN_WHERE_SHARE = 0.3
const MIN_PLACE_SHARE = 0.1
const MAX_PLACES = 4
// A call or an arrow function whose argument or result is on the next line.
const GOES_ON = /(?:=>|\()\s*$/
const MAX_GOING_ON = 2
const SCHEMA_LIBRARIES = new Set(['zod', 'yup', 'joi', '@hapi/joi', 'valibot', 'superstruct', 'typebox', '@sinclair/typebox', 'runtypes', 'io-ts'])
const MAKES_SCHEMA = /(^|\.)(?:strict|loose)?(?:object|array|tuple|record|union|type)$/i
// Before and behind a line: a loop that only waits is short.
const MAX_LOOP_LINES = 10

/**
 * @param {CpuProfile} profile  with original positions
 * @param {object} about
 * @param {number} about.fromMs  start of the profile, epoch
 * @param {number} about.startedAt  start of the process, epoch
 * @param {readonly Stall[]} about.stalls
 * @param {number} [about.hz]  the sampling rate, where it is known
 * @param {boolean} [about.isServing]  requests still come in: what is idle at the end is part of the work
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {Activity}
 */
function readActivity (profile, { fromMs, startedAt, stalls, hz, isServing = false }, context) {
  const stacks = readStacks(profile, context)
  const stackOf = (/** @type {Sample} */ { id }) => /** @type {Stack} */ (stacks.get(id))
  const samples = withoutIdleEnds(readSamples(profile), sample => stackOf(sample).state === 'idle', isServing)
  const busy = samples.filter(sample => stackOf(sample).state !== 'idle')
  const busyMicros = sumMicros(busy)
  const [first] = samples
  const beginMicros = first === undefined ? 0 : first.atMicros - first.micros
  const toMs = fromMs + (profile.endTime - profile.startTime) / 1e3
  const observedFromMs = fromMs + beginMicros / 1e3
  const inTime = stalls.filter(({ at, durationMs }) => at + durationMs >= observedFromMs)
  const sampled = findHotSpots(profile, { samples, busyMicros, stacks }, context)
  const stallsOf = byHotSpot(inTime, sampled)
  const hotSpots = sampled.map(sampledHotSpot => {
    const { samples, isLoading, stack, ...spot } = sampledHotSpot
    const [first, last] = [samples[0], /** @type {Sample} */ (samples.at(-1))]
    const isEarly = fromMs + first.atMicros / 1e3 - startedAt < START_UP_MS && toMs - fromMs - last.atMicros / 1e3 > OVER_MS
    const here = stallsOf.get(sampledHotSpot) ?? []
    const { culprit, stalls } = withStalls(spot, here.filter(isOfCode))
    const routes = routesOf(profile, samples, { stalls: here, fromMs, busyMicros })
    return {
      ...spot,
      ...routes,
      culprit,
      stalls,
      samples: samples.length,
      sinceMs: fromMs + (first.atMicros - first.micros) / 1e3,
      isStartUp: isLoading && isEarly && routes.route === null,
      text: textOf(culprit, stack, context.source),
      ownText: ownTextOf(culprit, stack, context.source),
      callers: callersIn(stack, culprit),
      within: packagesAround(stack, culprit),
      waitLoop: waitLoopOf(culprit, stack, context.source),
      compiling: spot.compiling ?? schemasOf(culprit, spot.inPackage, context.source)
    }
  })
  return {
    fromMs: observedFromMs,
    observedMs: samples.length === 0 ? 0 : (/** @type {Sample} */ (samples.at(-1)).atMicros - beginMicros) / 1e3,
    samples: busy.length,
    sampledShare: hz === undefined || busyMicros === 0 ? 1 : Math.min(1, busy.length * 1e6 / hz / busyMicros),
    busyMs: busyMicros / 1e3,
    gcMs: sumMicros(busy.filter(sample => stackOf(sample).state === 'gc')) / 1e3,
    hotSpots,
    busySamples: busySamplesOf(profile, busy, { sampled, stackOf, stalls: inTime, fromMs }),
    sockets: findSocketCalls(profile, { samples, busyMicros, stacks }, context),
    categories: atTheirCalls(findCategories(samples, stackOf), hotSpots)
  }
}

/**
 * A call such as map() is on one line, and the work of its anonymous callback on another.
 * @param {Culprit} culprit
 * @param {readonly CodeFrame[]} stack  innermost first
 * @param {SourceLines} source
 * @returns {string} the culprit's line, and that of its callback, each with the lines on which its last call or arrow function goes on
 */
function textOf (culprit, stack, source) {
  const { file, line } = culprit
  const callback = callbackOf(culprit, stack)
  const lines = new Set(callback === null ? [line] : [line, callback.line])
  const all = new Map([...lines].flatMap(line => {
    const read = source.read(file, line, line + MAX_GOING_ON)
    const end = read.findIndex(text => !GOES_ON.test(text))
    return read.slice(0, end === -1 ? read.length : end + 1).map((text, index) => [line + index, text])
  }))
  return [...all.values()].join('\n')
}

/**
 * What stands before a callback that was at work has called it, or takes what it returns: `JSON.stringify(rows.map(row => …))`.
 * @param {Culprit} culprit
 * @param {readonly CodeFrame[]} stack  innermost first
 * @param {SourceLines} source
 * @returns {string} as of textOf(), or the line of the callback from where it begins
 */
function ownTextOf (culprit, stack, source) {
  const callback = callbackOf(culprit, stack)
  if (callback === null || callback.line !== culprit.line || callback.column === 0) return textOf(culprit, stack, source)
  return source.read(culprit.file, callback.line)[0]?.slice(callback.column - 1) ?? ''
}

/**
 * @param {Culprit} culprit
 * @param {readonly CodeFrame[]} stack  innermost first
 * @returns {CodeFrame | null} the innermost function, if it and those between it and the culprit have no name
 */
function callbackOf ({ function: name, file }, stack) {
  const inner = stack.slice(0, stack.findIndex(frame => frame.function === name && frame.file === file))
  return inner.length > 0 && inner.every(frame => frame.function === '(anonymous)' && frame.file === file) ? inner[0] : null
}

/** @param {readonly CodeFrame[]} stack  innermost first @param {Culprit} culprit @returns {HotSpot['callers']} */
function callersIn (stack, { function: name, file }) {
  const outer = stack.slice(stack.findIndex(frame => frame.function === name && frame.file === file) + 1)
  const end = outer.findIndex(frame => frame.file === '' || frame.file.startsWith('node:') || isInPackage(frame.file))
  return outer.slice(0, end === -1 ? outer.length : end).filter(frame => frame.function !== '(anonymous)').map(frame => ({ function: frame.function, file: frame.file }))
}

/** @param {readonly CodeFrame[]} stack  innermost first @param {Culprit} culprit @returns {HotSpot['within']} */
function packagesAround (stack, { function: name, file }) {
  const outer = stack.slice(stack.findIndex(frame => frame.function === name && frame.file === file) + 1)
  return [...new Set(outer.filter(frame => isInPackage(frame.file)).map(frame => packageOf(frame.file)))]
}

/**
 * The loop that waits for the clock, in the culprit or in a function that calls it: what reads the clock may be a helper.
 * @param {Culprit} culprit
 * @param {readonly CodeFrame[]} stack  innermost first
 * @param {SourceLines} source
 * @returns {Place | null}
 */
function waitLoopOf (culprit, stack, source) {
  const at = stack.findIndex(frame => frame.function === culprit.function && frame.file === culprit.file)
  if (at === -1 || isInPackage(culprit.file)) return null
  const isOwn = (/** @type {CodeFrame} */ { file }) => file !== '' && !file.startsWith('node:') && !isInPackage(file)
  const isReading = (/** @type {CodeFrame} */ frame) => isOwn(frame) && READS_CLOCK.test(source.read(frame.file, frame.line)[0] ?? '')
  const clocks = new Set(stack.slice(0, at).filter(isReading).map(lastName))
  const end = stack.findIndex((frame, index) => index > at && !isOwn(frame))
  for (const frame of [culprit, ...stack.slice(at + 1, end === -1 ? undefined : end)]) {
    const from = Math.max(1, frame.line - MAX_LOOP_LINES)
    const found = waitLoopAt(source.read(frame.file, from, frame.line + MAX_LOOP_LINES), frame.line - from, name => clocks.has(lastName({ function: name })))
    if (found !== null) return { function: frame.function, file: frame.file, line: from + found, column: 0 }
    if (!isReading(frame)) return null
    clocks.add(lastName(frame))
  }
  return null
}

/**
 * Libraries whose schemas are made by calls of their own: what makes one each time it runs makes what a schema keeps for its next values, too.
 * @param {Culprit} culprit
 * @param {string | null} inPackage  that it calls, by several functions
 * @param {SourceLines} source
 * @returns {string | null} the library, if the function makes a schema of it
 */
function schemasOf ({ file, functionLine, via }, inPackage, source) {
  const name = via?.package ?? inPackage
  if (name === null || isInPackage(file) || !SCHEMA_LIBRARIES.has(name)) return null
  const calls = packageCallsIn(source.read(file, 1, source.count(file) ?? 0), { line: functionLine, column: 0 }, name)
  return calls.some(call => MAKES_SCHEMA.test(call.name)) ? name : null
}

/** @param {Pick<CodeFrame, 'function'>} frame */
function lastName ({ function: name }) {
  return /** @type {string} */ (name.split('.').at(-1))
}

/**
 * When the loop was busy, for which route, and in which hot spot.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} busy
 * @param {{ sampled: { samples: Sample[] }[], stackOf: (sample: Sample) => Stack, stalls: readonly Stall[], fromMs: number }} of
 * @returns {BusySample[]} in order
 */
function busySamplesOf ({ startTime, routes }, busy, { sampled, stackOf, stalls, fromMs }) {
  const spots = new Map(sampled.flatMap(({ samples: some }, spot) => some.map(({ index }) => [index, spot])))
  return busy.map(sample => {
    const { state } = stackOf(sample)
    const route = routes?.names[routes.samples[sample.index]] ?? routeAt(stalls, fromMs + sample.atMicros / 1e3)
    return { atMicros: startTime + sample.atMicros, micros: sample.micros, route, spot: spots.get(sample.index) ?? -1, kind: state === 'io' || state === 'code' ? state : 'engine' }
  })
}

/** Whether a stall counts for the code of its culprit. @param {Pick<Stall, 'cause' | 'evidence'>} stall */
function isOfCode ({ cause, evidence }) {
  return BY_CODE.includes(cause) || (cause === 'unknown' && !isUndecided(evidence))
}

/**
 * @param {readonly Stall[]} stalls
 * @template {Pick<HotSpot, 'culprit'>} AnyHotSpot
 * @param {readonly AnyHotSpot[]} hotSpots
 * @returns {Map<AnyHotSpot, Stall[]>}
 */
function byHotSpot (stalls, hotSpots) {
  /** @type {Map<AnyHotSpot, Stall[]>} */
  const byIt = new Map()
  for (const stall of stalls) {
    const spot = hotSpotOf(stall, hotSpots)
    if (spot !== undefined) byIt.set(spot, [...byIt.get(spot) ?? [], stall])
  }
  return byIt
}

/**
 * The hot spot of a stall. Its culprit may be a helper of the hot spot's function, or another function of the same package.
 * @template {Pick<HotSpot, 'culprit'>} AnyHotSpot
 * @param {Stall} stall
 * @param {readonly AnyHotSpot[]} hotSpots
 */
function hotSpotOf ({ culprit, stack }, hotSpots) {
  if (culprit === null) return undefined
  const exact = hotSpots.find(spot => isSame(culprit, spot.culprit))
  if (exact !== undefined) return exact
  if (isInPackage(culprit.file)) return hotSpots.find(spot => isInPackage(spot.culprit.file) && dependencyOf(spot.culprit) === dependencyOf(culprit))
  return stack.map(frame => hotSpots.find(spot => frame.function === spot.culprit.function && frame.file === spot.culprit.file)).find(spot => spot !== undefined)
}

/**
 * The stack of a stall was read while it lasted, so it has the call and its line more exactly than the samples.
 * @param {Pick<HotSpot, 'culprit' | 'ms'>} spot  from the samples
 * @param {readonly Stall[]} stalls  its stalls
 * @returns {Pick<HotSpot, 'culprit' | 'stalls'>}
 */
function withStalls (spot, stalls) {
  if (stalls.length === 0) return { culprit: spot.culprit, stalls: { count: 0, ms: 0, longestMs: 0, lines: [] } }
  const ms = stalledMs(stalls)
  const culprit = inlinedIn(spot, stalls) ?? spot.culprit
  const exact = stalls.filter(({ culprit: one }) => one !== null && isSame(one, culprit))
  return {
    culprit: culpritOf(culprit, exact, { ms, isMost: ms >= spot.ms * MOST }),
    stalls: { count: stalls.length, ms, longestMs: Math.max(...stalls.map(({ durationMs }) => durationMs)), lines: linesOf(exact) }
  }
}

/**
 * A function that V8 inlined has no frame in samples: its time is its caller's. The stalls name it, and where it had most of the hot spot's time,
 * it is meant.
 * @param {Pick<HotSpot, 'culprit' | 'ms'>} spot
 * @param {readonly Stall[]} stalls  its stalls
 * @returns {Culprit | undefined}
 */
function inlinedIn ({ culprit, ms }, stalls) {
  if (isInPackage(culprit.file)) return undefined
  return stalls.flatMap(({ culprit: one }) => one ?? []).find(one => {
    const inIt = stalls.filter(stall => stall.culprit !== null && isSame(stall.culprit, one))
    return sum(inIt, ({ durationMs, culprit }) => durationMs * (culprit?.share ?? 0)) > ms * MOST
  })
}

/**
 * The routes that it ran for, each with its share: from the labels of the samples, and during a stall from the stall's route.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} samples  of a hot spot
 * @param {{ stalls: readonly Stall[], fromMs: number, busyMicros: number }} of  stalls: those in which it ran
 * @returns {Pick<HotSpot, 'route' | 'routes'>}
 */
function routesOf (profile, samples, { stalls, fromMs, busyMicros }) {
  const byRoute = microsByRoute(profile, samples, ({ atMicros }) => routeAt(stalls, fromMs + atMicros / 1e3))
  return {
    route: routeOfMost(byRoute),
    routes: [...byRoute].sort(([, left], [, right]) => right - left).map(([route, micros]) => ({ route, share: micros / Math.max(1, busyMicros) }))
  }
}

/** @param {readonly Stall[]} stalls @param {number} ms  epoch */
function routeAt (stalls, ms) {
  return stalls.find(({ at, durationMs, route }) => route !== null && ms > at && ms <= at + durationMs)?.route ?? null
}

/**
 * The culprit from the longest stall, unless the others were in other parts of the function. Which package took most of the time is known from the
 * samples, if most of it was no stall.
 * @param {Culprit} culprit  from the samples of the whole time
 * @param {readonly Stall[]} stalls  in which it is the culprit
 * @param {{ ms: number, isMost: boolean }} all  the time of all stalls, and whether it is most of the time
 * @returns {Culprit}
 */
function culpritOf (culprit, stalls, { ms, isMost }) {
  const [longest] = stalls.toSorted((left, right) => right.durationMs - left.durationMs)
  if (longest === undefined || longest.culprit === null) return culprit
  const { call, via } = longest.culprit
  if (!isMost && via?.package !== culprit.via?.package) return culprit
  const same = stalls.filter(({ culprit: one }) => one?.call === call && one?.via?.package === via?.package)
  if (stalledMs(same) >= ms * MOST) return { ...longest.culprit, via: via && { ...via, function: entranceOf(via.function, same) } }
  const [most] = linesOf(stalls)
  const { line, column } = stalls.find(({ culprit: one }) => most.ms >= ms * MOST && one?.line === most.line)?.culprit ?? { line: culprit.functionLine, column: 0 }
  return { ...longest.culprit, line, column, call: null, via: isInPackage(culprit.file) ? via : null }
}

/**
 * @param {string} entrance  of a package, in the longest of its stalls
 * @param {readonly Stall[]} stalls  in the package
 * @returns {string} none, where the stalls were in several of its functions
 */
function entranceOf (entrance, stalls) {
  const same = stalls.filter(({ culprit }) => culprit?.via?.function === entrance)
  return stalledMs(same) >= stalledMs(stalls) * MOST ? entrance : '(anonymous)'
}

/**
 * @param {readonly Stall[]} stalls  with a culprit
 * @returns {HotSpot['stalls']['lines']} with most of the time first
 */
function linesOf (stalls) {
  const ms = sumBy(stalls, ({ culprit }) => /** @type {Culprit} */ (culprit).line, ({ durationMs }) => durationMs)
  return [...ms].map(([line, ms]) => ({ line, ms })).sort((left, right) => right.ms - left.ms)
}

/** @param {Culprit} left @param {Culprit} right */
function isSame (left, right) {
  return left.file === right.file && left.functionLine === right.functionLine && left.function === right.function
}

/**
 * Time in the system calls of sockets by purpose, and in the event loop's work outside JavaScript; with the function that caused most of
 * it.
 * @param {CpuProfile} profile
 * @param {object} observed
 * @param {readonly Sample[]} observed.samples
 * @param {number} observed.busyMicros
 * @param {Map<number, Stack>} observed.stacks
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SocketCalls}
 */
function findSocketCalls (profile, { samples, busyMicros, stacks }, context) {
  const stackOf = (/** @type {Sample} */ { id }) => /** @type {Stack} */ (stacks.get(id))
  const ofKind = (/** @type {Stack['socket']} */ kind) => samples.filter(sample => stackOf(sample).socket === kind)
  const read = (/** @type {Stack['socket']} */ kind) => {
    const some = ofKind(kind)
    const micros = sumMicros(some)
    /** @type {SocketTime['where']} */
    const where = micros < busyMicros * MIN_SOCKET_SHARE ? null : placeOf(profile, some, some.filter(sample => stackOf(sample).run.length > 0), context)
    return { ms: micros / 1e3, samples: some.length, where }
  }
  const accepts = ofKind('accept')
  return {
    writes: read('write'),
    sends: read('send'),
    connects: read('connect'),
    accepts: { ms: sumMicros(accepts) / 1e3, samples: accepts.length, closingMs: sumMicros(ofKind('close')) / 1e3 },
    otherWritesMs: sumMicros(samples.filter(sample => stackOf(sample).isWritingElsewhere)) / 1e3,
    loopMs: sumMicros(samples.filter(sample => stackOf(sample).state === 'io')) / 1e3
  }
}

/**
 * Deferred work, such as connecting after a lookup, has no application function on its stack: the samples in which the application starts it
 * decide.
 * @param {CpuProfile} profile
 * @param {readonly Sample[]} all
 * @param {readonly Sample[]} called  those called by the application
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {SocketTime['where']}
 */
function placeOf (profile, all, called, context) {
  const { culprit } = findCulprit(onlySamples(profile, called.length > 0 ? called : all), context)
  if (culprit === null) return null
  const { function: name, file, line, column, via, share } = culprit
  return { function: name, file, line, column, via, route: routeOfMost(microsByRoute(profile, all)), share: share * (called.length > 0 ? sumMicros(called) / sumMicros(all) : 1) }
}

/** @param {readonly Sample[]} samples */
function sumMicros (samples) {
  return sum(samples, ({ micros }) => micros)
}

/**
 * Time that is spread over an application: writing logs, creating Buffers, task queues, immediates, the garbage collector; and the function
 * that caused most of it.
 * @param {readonly Sample[]} samples
 * @param {(sample: Sample) => Stack} stackOf
 * @returns {Activity['categories']}
 */
function findCategories (samples, stackOf) {
  const sums = { logging: createSum(), tasks: createSum(), immediates: createSum(), collected: createSum(), buffers: createSum() }
  /** @type {Map<string, number>} */
  const loggers = new Map()
  let writingMicros = 0
  /** @type {{ atMicros: number, place: Frame | null } | undefined} */
  let before
  for (const { id, index, micros, atMicros } of samples) {
    const stack = stackOf({ id, index, micros, atMicros })
    const place = stack.run.find(({ name }) => name !== '(anonymous)') ?? stack.run[0] ?? null
    if (stack.state === 'gc') sums.collected.add(micros, before !== undefined && atMicros - micros - before.atMicros < MAX_BEFORE_MICROS ? before.place : null)
    if (stack.state === 'code') before = { atMicros, place }
    else if (before !== undefined && stack.state === 'gc') before.atMicros = atMicros // one collection spans many samples
    if (stack.logger !== null) {
      sums.logging.add(micros, place)
      loggers.set(stack.logger, (loggers.get(stack.logger) ?? 0) + micros)
      if (stack.isWritingFile) writingMicros += micros
    }
    if (stack.isBuffer) sums.buffers.add(micros, place)
    if (stack.isImmediate) sums.immediates.add(micros, place)
    // The queue calls the tasks: the samples next to it show whose tasks they are.
    if (stack.isTasks) sums.tasks.add(micros, before?.place ?? null)
  }
  const [[logger = null] = []] = [...loggers].sort(([, left], [, right]) => right - left)
  return { logging: { ...sums.logging.read(), places: sums.logging.places(), logger, writingMs: writingMicros / 1e3 }, tasks: sums.tasks.read(), immediates: sums.immediates.read(), collected: sums.collected.read(), buffers: sums.buffers.read() }
}

/**
 * A category has the function that it was spent for. The hot spot of that function has the line of the call as well, and the package that it calls.
 * @param {Activity['categories']} categories
 * @param {readonly HotSpot[]} hotSpots
 */
function atTheirCalls (categories, hotSpots) {
  for (const category of Object.values(categories)) {
    if (category.where !== null) category.where = atItsCall(category.where, hotSpots)
    category.places = category.places?.map(({ ms, ...place }) => ({ ...atItsCall(place, hotSpots), ms }))
  }
  return categories
}

/** @param {Place} place @param {readonly HotSpot[]} hotSpots @returns {Place} */
function atItsCall (place, hotSpots) {
  const spot = hotSpots.find(({ culprit: { function: name, file, functionLine } }) => name === place.function && file === place.file && functionLine === place.line)
  return spot === undefined ? place : toPlace({ ...spot.culprit, name: spot.culprit.function })
}

function createSum () {
  let all = 0
  /** @type {Map<Frame, number>} */
  const places = new Map()
  const inOrder = () => [...places].sort(([, left], [, right]) => right - left)
  return {
    /** @param {number} micros @param {Frame | null} place */
    add (micros, place) {
      all += micros
      if (place !== null) places.set(place, (places.get(place) ?? 0) + micros)
    },
    /** @returns {Category} */
    read () {
      const [most] = inOrder()
      return { ms: all / 1e3, where: most === undefined || most[1] < all * MIN_WHERE_SHARE ? null : toPlace(most[0]) }
    },
    /** @returns {NonNullable<Category['places']>} */
    places: () => inOrder().filter(([, micros]) => micros >= all * MIN_PLACE_SHARE).slice(0, MAX_PLACES).map(([frame, micros]) => ({ ...toPlace(frame), ms: micros / 1e3 }))
  }
}

/** @param {Pick<Frame, 'name' | 'file' | 'line' | 'column'>} frame @returns {Place} */
function toPlace ({ name, file, line, column }) {
  return { function: name, file, line, column }
}

module.exports = { isOfCode, readActivity, textOf, waitLoopOf, withStalls }
