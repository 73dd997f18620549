'use strict'

// Detectors of problems of the event loop as a whole: full of short tasks, flooded with microtasks, blocked by loading modules, and
// stalls that no other finding explains.

const { sum, sumBy } = require('../../../base/sums')
const { dependencyOf } = require('../../../formats/profile/frame')
const { publicModuleOf } = require('../../../formats/profile/node-api')
const { makeFinding, MIN_SAMPLES } = require('../finding')
const { inFlightOf, observedMsOf, ranShare, stalledMs, stallTimeOf, sumStalls, utilizationOf } = require('../../../shared/findings/readings')
const { duration, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')
const { isUndecided } = require('../../../shared/stalls/evidence-text')
const { POLLING } = require('./builtins')
const { isWorth, kindOf, placeOf } = require('./hot-spot')

/** @import { Culprit, Stall } from '../../../../types/diagnostics' */
/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings, HotSpot } from '../../../shared/findings/readings' */

const SHORT_TURNS = Object.freeze({
  // At this utilization work waits much longer than it runs: with one server and random arrivals, nine times as long.
  full: 0.9,
  // With more stalls than this, the stalls are the problem.
  maxStalledShare: 0.1,
  maxPlaces: 3,
  // Four requests that poll with setImmediate() have a third of the busy time in it, and the loop's own I/O another third; applications that yield now
  // and then have a few percent.
  immediatesShare: 0.2
})

/**
 * The loop is always busy with short iterations: no stall, no single culprit, and still everything waits.
 * @type {Detector}
 */
const manyShortTurns = {
  ids: ['many-short-turns'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { activity, process, pid } = readings
    const observedMs = observedMsOf(readings)
    const utilization = utilizationOf(readings) * ranShare(readings)
    if (activity === null || utilization < SHORT_TURNS.full || activity.samples < MIN_SAMPLES * 5) return []
    if (sumStalls(readings, ['code', 'gc', 'unknown']).ms > observedMs * SHORT_TURNS.maxStalledShare || readings.blockedMs >= readings.thresholdMs) return []
    const [heaviest] = activity.hotSpots
    const places = activity.hotSpots.slice(0, SHORT_TURNS.maxPlaces).map(({ culprit, share }) => `${placed(culprit)} ${percent(share)}`).join(', ')
    const { ms: immediatesMs, where: starting } = activity.categories.immediates
    const isPolling = starting !== null && immediatesMs >= activity.busyMs * SHORT_TURNS.immediatesShare
    return [makeFinding(readings, {
      id: 'many-short-turns',
      title: `The event loop is full: busy ${percent(utilization)} of the time with ${isPolling ? `setImmediate() again and again, most of them from ${placed(starting)}` : 'many short tasks, without a single culprit'}.`,
      lostMs: observedMs * utilization,
      what: sentences(`Busy ${duration(activity.busyMs)} of the last ${duration(observedMs)} without notable stalls.`, places !== '' && `The heaviest: ${places}.`),
      where: isPolling ? { ...starting, via: null, route: null } : heaviest === undefined ? null : placeOf(heaviest),
      why: 'one thread runs all JavaScript: when it is always busy, every request waits for those before it',
      instead: 'run more processes (cluster, more containers) or send fewer requests here, and make the heaviest functions cheaper',
      ...(isPolling && POLLING),
      evidence: {
        utilization: rounded(utilization, 3), immediatesShare: rounded(immediatesMs / Math.max(1, activity.busyMs), 3), delayP50Ms: rounded(process?.delay.p50Ms ?? 0), requestsInFlight: rounded(inFlightOf(readings) ?? 0)
      },
      next: [`npx loopscope profile ${pid}`]
    })]
  }
}

const TASK_FLOOD = Object.freeze({
  minBusyShare: 0.2,
  minUtilization: 0.5
})

/**
 * Promises or ticks that start each other and never let the loop continue: each is short, but nothing else can run. It shows in the time of the
 * queues themselves, which is next to nothing if the tasks do real work.
 * @type {Detector}
 */
const taskFlood = {
  ids: ['task-flood'],
  explains: ['hot-function', 'many-short-turns', 'slow-elsewhere'],
  find (readings) {
    const { activity, stalls, pid } = readings
    if (activity === null || activity.samples < MIN_SAMPLES * 2) return []
    const { categories: { tasks: { ms, where: caller } }, busyMs, observedMs } = activity
    const awaiting = activity.hotSpots.filter(spot => kindOf(spot) === 'task-flood')
    // If the queues have functions of their own, their time is in both.
    const floodMs = Math.max(ms, sum(awaiting, ({ queueMs }) => queueMs)) + sum(awaiting, spot => spot.ms)
    const ran = ranShare(readings)
    if (floodMs < busyMs * TASK_FLOOD.minBusyShare || utilizationOf(readings) * ran < TASK_FLOOD.minUtilization) return []
    const share = Math.min(1, floodMs / busyMs)
    const where = awaiting[0]?.culprit ?? caller
    return [makeFinding(readings, {
      id: 'task-flood',
      title: `A flood of microtasks or ticks holds the loop${where === null ? '' : `, most of them from ${placed(where)}`}.`,
      lostMs: busyMs * ran,
      what: `${percent(share)} of the busy time (${duration(floodMs)} of the last ${duration(observedMsOf(readings))}) went into the queues themselves or into awaiting, not into the tasks.`,
      where: where && { function: where.function, file: where.file, line: where.line, column: where.column, via: null, route: awaiting[0]?.route ?? null },
      why: 'promises and process.nextTick callbacks run before anything else: as long as each starts the next one, no timer, socket or request is served',
      instead: 'yield to the event loop every few milliseconds, with setImmediate or `await setImmediate()` of node:timers/promises; do not await values that are not promises',
      evidence: { queueShare: rounded(share, 3), observedMs, stalls: stalls.length },
      confidence: 'medium',
      next: [`npx loopscope profile ${pid}`]
    })]
  }
}

const START_UP = Object.freeze({
  // An application of a few hundred modules takes about this long.
  minMs: 1000,
  // Deployments and restarts wait for it: most readiness probes fail before that.
  longMs: 3000,
  // For this long after the start it is reported.
  recentMs: 90_000,
  most: 0.5,
  minLateStalls: 2,
  // Without stalls, as of other synchronous calls.
  late: { ofTime: 0.05 }
})

/**
 * Loading modules: at startup, which is over when it is reported and matters to those who wait for restarts; later it is a synchronous call like
 * any other.
 * @type {Detector}
 */
const startUp = {
  ids: ['start-up'],
  explains: [],
  find (readings) {
    const { activity, process, at, startedAt } = readings
    const hotSpots = (activity?.hotSpots ?? []).filter(spot => kindOf(spot) === 'start-up')
    const late = hotSpots.filter(spot => !spot.isStartUp && (spot.stalls.count >= START_UP.minLateStalls || isWorth(spot, readings, START_UP.late)))
    if (late.length > 0) return late.map(spot => lateLoading(readings, spot))
    const early = hotSpots.filter(({ isStartUp }) => isStartUp)
    // The recorder starts in the middle of it, and the loop may turn before all is loaded.
    const ms = Math.max(process?.startUpMs ?? 0, sum(early, ({ ms }) => ms))
    return at - startedAt < START_UP.recentMs && ms >= START_UP.minMs ? [slowStart(readings, ms, early[0])] : []
  }
}

/**
 * @param {Readings} readings
 * @param {number} ms
 * @param {HotSpot | undefined} spot
 * @returns {Finding}
 */
function slowStart (readings, ms, spot) {
  // Of a start that was recorded from its middle on, the heaviest part that was seen may be a small one.
  const loading = loadingOf(readings, ms, spot !== undefined && spot.ms >= ms * START_UP.most ? spot : undefined)
  const isLong = ms >= START_UP.longMs
  const { startedAt } = readings
  return makeFinding(readings, {
    ...loading,
    severity: isLong ? 'warning' : 'info',
    over: isLong ? { from: Math.round(startedAt), to: Math.round(startedAt + ms) } : null,
    title: `Startup blocked the loop for ${duration(ms)}${mostlyBy(loading)}${isLong ? '' : '; it is over'}.`,
    what: sentences(
      `The application took ${duration(ms)} from its first line to the first iteration of the loop, and answered no requests meanwhile.`,
      loading.where === null && 'To see which code took the time, preload with LOOPSCOPE_START_AT_ONCE=true, which records from the first line.'
    ),
    instead: 'send requests only when the process is ready; to start faster, do and load less at the top level of files, bundle, or use module.enableCompileCache()'
  })
}

/** @param {Readings} readings @param {HotSpot} spot @returns {Finding} */
function lateLoading (readings, spot) {
  const { ms } = spot
  const busyMs = readings.activity?.busyMs ?? 0
  const loading = loadingOf(readings, ms, spot)
  return makeFinding(readings, {
    ...loading,
    title: `Modules are loaded while requests wait: ${duration(ms)}${mostlyBy(loading)}.`,
    what: `Loading and compiling modules took ${duration(ms)} of the last ${duration(observedMsOf(readings))}, ${percent(busyMs === 0 ? 0 : ms / busyMs)} of the busy time.`,
    instead: spot.culprit.call === 'import'
      ? 'import it once, before requests arrive, and keep what it exports; with a new query (`?v=…`) each import makes a new module, which is never freed'
      : 'require it at the top of the file, or import it once before requests arrive'
  })
}

/**
 * @param {Readings} readings
 * @param {number} ms  spent loading modules
 * @param {HotSpot | undefined} spot
 */
function loadingOf ({ process, pid }, ms, spot) {
  return {
    id: /** @type {const} */ ('start-up'),
    lostMs: ms,
    where: spot === undefined ? null : { ...placeOf(spot), via: null },
    why: 'loading a module reads, compiles and runs its files on the event loop, including their top-level code',
    evidence: { ms: rounded(ms), uptimeMs: process?.uptimeMs ?? null },
    next: [`npx loopscope profile ${pid}`]
  }
}

/** @param {Pick<Finding, 'where'>} loading */
function mostlyBy ({ where }) {
  return where === null ? '' : `, most of it by ${placed(where)}`
}

const UNEXPLAINED = Object.freeze({
  // One request in twenty arrives in this share of the time.
  minShare: 0.05,
  // Or the p99 of the delay is this high, and nothing else was found.
  maxDelayP99Ms: 100,
  // A single short stall in a minute can be a first call that is compiled, a garbage collection, a busy machine.
  minStalls: 2,
  longStall: 5,
  maxNamed: 3,
  most: 0.5
})

/** Findings that explain all stalls of some causes. */
const BY_CAUSE = /** @type {Record<string, readonly Stall['cause'][]>} */ ({
  starved: ['starved'],
  suspended: ['suspended'],
  'gc-pressure': ['gc'],
  'heap-grows': ['gc'],
  'task-flood': ['code', 'gc', 'unknown']
})

/**
 * Stalls that no other finding explains, if together they are a loss: it reports what is known about them. The last detector: it gets the findings
 * of all others.
 * @type {Detector}
 */
const unexplainedStalls = {
  ids: ['unexplained-stalls'],
  explains: ['slow-elsewhere'],
  find (readings, found) {
    const { stalls, process, thresholdMs, pid } = readings
    const explaining = found.filter(({ id, severity }) => severity === 'critical' || severity === 'warning' || id === 'gc-pressure')
    const isReported = found.some(({ id }) => id === 'start-up')
    const left = stalls.filter(stall => !(stall.startingUp && isReported) && !explaining.some(finding => isExplained(stall, finding, callersOf(readings, finding))))
    const ms = stalledMs(left)
    const longestMs = Math.max(0, ...left.map(({ durationMs }) => durationMs))
    const stallTimeMs = stallTimeOf(readings)
    const share = Math.min(1, ms / stallTimeMs)
    if (left.length < UNEXPLAINED.minStalls && longestMs < thresholdMs * UNEXPLAINED.longStall) return []
    if (share < UNEXPLAINED.minShare && (explaining.length > 0 || (process?.delay.p99Ms ?? 0) < UNEXPLAINED.maxDelayP99Ms)) return []
    const routes = by(left, ({ route }) => route)
    const places = by(left, ({ culprit }) => culprit && placeName(culprit))
    const culprit = left.findLast(stall => stall.culprit !== null && placeName(stall.culprit) === places.find(({ name }) => name !== null)?.name)?.culprit ?? null
    const [{ name: route, ms: routeMs }] = routes
    const isMost = (/** @type {(stall: Stall) => boolean} */ is) => stalledMs(left.filter(is)) >= ms * UNEXPLAINED.most
    const isUnmeasured = isMost(({ cause, evidence }) => cause === 'unknown' && isUndecided(evidence))
    const isStarved = isMost(({ cause }) => cause === 'starved')
    const isMostly = route !== null && routeMs >= ms * UNEXPLAINED.most
    return [makeFinding(readings, {
      id: 'unexplained-stalls',
      title: `Stalls take ${percent(share)} of the time: ${times(left.length, 'stall')} of up to ${duration(longestMs)}${isMostly ? `, most of it in ${route}` : ''}.`,
      lostMs: ms,
      share,
      since: Math.min(...left.map(({ at }) => at)),
      what: [
        `They held the loop for ${duration(ms)} of the last ${duration(stallTimeMs)}.`,
        `By route: ${list(routes, 'outside requests or unknown')}.`,
        `By code: ${list(places, 'unknown')}.`,
        `By cause: ${list(by(left, ({ cause }) => cause), '')}.`
      ].join(' '),
      where: culprit && { function: culprit.function, file: culprit.file, line: culprit.line, column: culprit.column, via: culprit.via, route: isMostly ? route : null },
      why: isUnmeasured
        ? 'of most of them it is not known how long the thread waited for a CPU: they may be code that ran, too little CPU time, or a suspended process'
        : isStarved
          ? 'during most of them the thread waited for a CPU, which other threads or processes used, or a limit withheld'
          : 'each may be short, and no single function has enough of them for a finding of its own; while one lasts, everything else waits',
      instead: isUnmeasured || isStarved
        ? 'look at the load of the machine and the CPU limit of the container at that time first; if CPUs were free, start with the first one by code'
        : 'start with the first one by code; the list of stalls has the stack of each, and a profile shows what they have in common',
      evidence: { stalls: left.length, stalledMs: ms, longestStallMs: longestMs, stalledShare: rounded(share, 3), delayP99Ms: process && rounded(process.delay.p99Ms) },
      confidence: 'medium',
      next: [`npx loopscope stalls ${pid}`, `npx loopscope profile ${pid}`]
    })]
  }
}

/**
 * The functions that call what a finding names: V8 may compile it into them, and their time then is its time.
 * @param {Readings} readings
 * @param {Finding} finding
 */
function callersOf ({ activity }, { where }) {
  return activity?.hotSpots.find(({ culprit }) => culprit.function === where?.function && culprit.file === where.file)?.callers ?? []
}

/** @param {Stall} stall @param {Finding} finding @param {NonNullable<HotSpot['callers']>} callers  of what the finding names */
function isExplained ({ cause, culprit, stack }, { id, where, evidence }, callers) {
  if (BY_CAUSE[id]?.includes(cause)) return true
  if (culprit !== null && evidence.module !== undefined && culprit.file.startsWith('node:') && publicModuleOf(culprit.file) === evidence.module) return true
  if (where === null) return false
  const dependency = dependencyOf(where)
  if (culprit !== null && dependency !== null && [dependency, where.via?.through?.package].includes(dependencyOf(culprit) ?? '')) return true
  return [culprit, ...stack].some(frame => frame !== null && frame.function === where.function && frame.file === where.file) ||
    callers.some(frame => frame.function === culprit?.function && frame.file === culprit.file)
}

/** @param {Culprit} culprit */
function placeName (culprit) {
  const dependency = dependencyOf(culprit)
  return dependency === null ? placed(culprit) : `the package ${dependency}`
}

/**
 * @param {readonly Stall[]} stalls
 * @param {(stall: Stall) => string | null} nameOf  null: unknown
 * @returns {{ name: string | null, ms: number }[]} most time first
 */
function by (stalls, nameOf) {
  return [...sumBy(stalls, nameOf, ({ durationMs }) => durationMs)].map(([name, ms]) => ({ name, ms })).sort((left, right) => right.ms - left.ms)
}

/** @param {{ name: string | null, ms: number }[]} parts @param {string} unknown */
function list (parts, unknown) {
  const rest = parts.slice(UNEXPLAINED.maxNamed).reduce((ms, part) => ms + part.ms, 0)
  const named = parts.slice(0, UNEXPLAINED.maxNamed).map(({ name, ms }) => `${name ?? unknown} ${duration(ms)}`)
  return [...named, ...(rest === 0 ? [] : [`others ${duration(rest)}`])].join(', ')
}

module.exports = { manyShortTurns, startUp, taskFlood, unexplainedStalls }
