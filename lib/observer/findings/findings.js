'use strict'

// Finds what is wrong with one application. It gathers the readings only on request. Values that change are read twice, a second apart, unless
// there was a request shortly before. Readings of the main thread have a time limit; after that the last answer is used. Counters from moments
// of the last minute are kept. It runs in the observer thread.

const { setTimeout: sleep } = require('node:timers/promises')
const { quantileOf } = require('../../base/bucket-counts')
const { sum } = require('../../base/sums')
const { SingleFlight } = require('../../base/single-flight')
const { fromEpochMs, monotonicMs } = require('../../base/monotonic')
const { findFindings } = require('./find-findings')
const { callName, LOOK_BACK_MS } = require('../../shared/findings/readings')
const { createSourceLines } = require('../stalls/culprit/source-lines')
const { readActivity } = require('./activity')
const { earlierReadings } = require('./earlier')

/** @import { Mark, Stall } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { RequestInFlight } from '../../../types/requests' */
/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { CountedCalls } from '../counts' */
/** @import { CallReading, ProcessReading, Readings, RouteReading, System, ThreadLoad } from '../../shared/findings/readings' */
/** @import { IoReading, SchedulerReading } from '../stalls/scheduler' */
/** @import { Outgoing, PastReading, PastReadings } from './past-readings' */
/** @import { WhatIf as WhatIfAnswer } from '../../../types/what-if' */
/** @import { WaitProfile } from '../waits/wait-profile' */
/** @import { WhatIf } from '../what-if/what-if' */
/** @import { Again, Finding } from '../../../types/findings' */

// Between the two readings of values that change.
const BETWEEN_MS = 1000
// The reading of an earlier request is good enough, if it is in this range of age.
const MIN_AGE_MS = 3000
const MAX_AGE_MS = 60_000
// A caller that asks again and again is limited to about as much work as pause.
const REST_MS = 1000
const NOTHING = Object.freeze({ calls: [], connections: null })
// The recorder starts a moment after the process.
const START_GRAIN_MS = 5000
// Of the mean rate of requests.
const SAME_PACE = 0.5
const LATELY_MS = 12_000 // readings of the past come every ten seconds

/** @typedef {{ atMs: number, system: SchedulerReading, io: IoReading | null, process: ProcessReading | null, outgoing: Outgoing, isStale: boolean }} Reading */

class FindingsReader {
  #parts
  #source
  /** @type {Reading | undefined} */
  #last
  #flight = new SingleFlight({ take: () => this.#take(), restMs: () => REST_MS })

  /**
   * @param {object} parts
   * @param {{ appName: string, appRoot: string, pid: number, startedAt: number, hz: number, stallThresholdMs: number }} parts.facts
   * @param {{ read (): SchedulerReading, readIo (): IoReading | null }} parts.scheduler
   * @param {() => Promise<{ value: ProcessReading, isStale: boolean } | null>} parts.askProcess  null: it never answered
   * @param {() => Promise<{ requests: Readings['slow'] }>} parts.slowRequests
   * @param {Pick<WaitProfile, 'read'>} [parts.waits]  where requests waited
   * @param {() => Promise<{ requests: RequestInFlight[] }>} [parts.requests]  under way
   * @param {(wanted: { fromMs: number, toMs: number }) => Promise<{ profile: CpuProfile, fromMs: number }>} parts.view
   * @param {(profile: CpuProfile) => Promise<CpuProfile>} parts.toOriginal
   * @param {() => { stalls: Stall[] }} parts.stalls
   * @param {() => { blockedMs: number }} parts.loopNow
   * @param {{ read (lastMs: number): Readings['pool'] }} parts.poolWaits
   * @param {{ read (lastMs: number): Omit<ThreadLoad, 'watched'> | null }} parts.threadLoad
   * @param {{ busiest (): ThreadLoad['watched'] }} parts.threadWatch
   * @param {{ state (): Readings['memory'] }} parts.memory
   * @param {() => Outgoing} [parts.outgoing]
   * @param {() => Mark[]} [parts.marks]  oldest first
   * @param {Pick<PastReadings, 'firstSince' | 'connectionsSince'>} [parts.past]
   * @param {Pick<WhatIf, 'measured' | 'ofFinding' | 'ofRoute'>} [parts.whatIf]
   * @param {number} [parts.betweenMs]
   */
  constructor (parts) {
    this.#parts = parts
    this.#source = createSourceLines(parts.facts)
  }

  async find () {
    return (await this.#flight.share()).answer
  }

  /** @param {{ route: string, scale?: number }} wanted @returns {Promise<WhatIfAnswer>} */
  async whatIf ({ route, scale = 0 }) {
    const { readings } = await this.#flight.share()
    const { at, pid, isStale } = readings
    const whatIf = /** @type {WhatIf} */ (this.#parts.whatIf)
    return { at, pid, appName: this.#parts.facts.appName, isStale, route, scale, measured: whatIf.measured(readings), prediction: whatIf.ofRoute({ route, scale }, readings) }
  }

  async #take () {
    const { facts, stalls, marks, whatIf } = this.#parts
    const readings = await this.#gather()
    const { findings, ...answer } = findFindings(readings, facts)
    const [kept, marked] = [stalls().stalls, marks?.() ?? []]
    const explained = findings.map(finding => {
      return { ...finding, prediction: whatIf?.ofFinding(finding, readings) ?? null, again: againSince(finding, kept, marked) }
    })
    return { readings, answer: { ...answer, findings: explained } }
  }

  /** @returns {Promise<Readings>} */
  async #gather () {
    const { facts, slowRequests, stalls, loopNow, poolWaits, past, waits, requests, memory } = this.#parts
    const before = await this.#readBefore()
    const { blockedMs } = loopNow()
    const [now, observed, { requests: slow }, inFlight] = await Promise.all([this.#read(), this.#observe(), slowRequests(), requests?.()])
    this.#last = now
    const at = Date.now()
    const activity = observed === null ? null : this.#activityOf(observed, this.#isServing(before, now))
    const fromMs = activity?.fromMs ?? at - LOOK_BACK_MS
    const inTime = stalls().stalls.filter(stall => stall.at + stall.durationMs >= fromMs)
    /** @type {Readings} */
    const readings = {
      at,
      pid: facts.pid,
      startedAt: facts.startedAt,
      thresholdMs: facts.stallThresholdMs,
      blockedMs,
      activity,
      slow,
      waits: waits?.read({ fromMicros: fromEpochMs(fromMs) }).routes,
      openWaits: waits?.read({ areOpen: true }).routes,
      underWay: inFlight?.requests,
      dependsOn: this.#source.dependsOn,
      stalls: inTime,
      system: systemBetween(before, now),
      ownCpu: ownCpuOf(now.system),
      pool: poolWaits.read(at - fromMs),
      threads: readThreads(this.#parts),
      memory: memory.state(),
      ...this.#countedSince(fromMs, before, now, activity, inTime),
      connections: mostOf([...past?.connectionsSince(now.atMs - (at - fromMs)) ?? [], now.outgoing.connections ?? {}]),
      isStale: now.isStale
    }
    return { ...readings, earlier: earlierReadings(stalls().stalls, readings, this.#source) }
  }

  /**
   * Requests that wait for each other are answered in bursts: a second may have none.
   * @param {Reading} before  from a moment ago
   * @param {Reading} now
   */
  #isServing (before, now) {
    const { past } = this.#parts
    const base = past?.firstSince(now.atMs - LOOK_BACK_MS)
    const lately = past?.firstSince(now.atMs - LATELY_MS)
    return isServing(base, before, now) || (lately != null && lately !== base && isServing(base, lately, now))
  }

  /** The earlier reading for the comparison. */
  async #readBefore () {
    const last = this.#last
    const ageMs = last === undefined ? Infinity : monotonicMs() - last.atMs
    if (last !== undefined && ageMs >= MIN_AGE_MS && ageMs <= MAX_AGE_MS && last.process !== null) return last
    const before = await this.#read()
    await sleep(this.#parts.betweenMs ?? BETWEEN_MS)
    return before
  }

  /** @returns {Promise<Reading>} */
  async #read () {
    const { scheduler, askProcess, outgoing } = this.#parts
    const answer = await askProcess()
    return { atMs: monotonicMs(), system: scheduler.read(), io: scheduler.readIo(), process: answer?.value ?? null, outgoing: outgoing?.() ?? NOTHING, isStale: answer?.isStale ?? true }
  }

  /** @returns {Promise<{ profile: CpuProfile, fromMs: number } | null>} null: nothing was recorded */
  async #observe () {
    const { view, toOriginal } = this.#parts
    const now = Date.now()
    try {
      const { profile, fromMs } = await view({ fromMs: now - LOOK_BACK_MS, toMs: now })
      return { profile: await toOriginal(profile), fromMs }
    } catch (/** @type {any} */ error) {
      if (['ERR_LOOPSCOPE_RECORDER_OFF', 'ERR_LOOPSCOPE_EMPTY_VIEW'].includes(error.code)) return null
      throw error
    }
  }

  /** @param {{ profile: CpuProfile, fromMs: number }} observed @param {boolean} isServing */
  #activityOf ({ profile, fromMs }, isServing) {
    const { facts, stalls } = this.#parts
    return readActivity(profile, { fromMs, startedAt: facts.startedAt, hz: facts.hz, stalls: stalls().stalls, isServing }, { appRoot: facts.appRoot, source: this.#source })
  }

  /**
   * What was counted in the observed time, not since the start.
   * @param {number} fromMs  epoch
   * @param {Reading} before  from a moment ago, used if there is no earlier one
   * @param {Reading} now
   * @param {Readings['activity']} activity
   * @param {readonly Stall[]} inTime
   * @returns {Pick<Readings, 'process' | 'pace' | 'calls'>}
   */
  #countedSince (fromMs, before, now, activity, inTime) {
    if (now.process === null) return { process: null, pace: { ms: 0, routes: [] }, calls: [] }
    const { facts, past } = this.#parts
    const fromMonotonicMs = now.atMs - (Date.now() - fromMs)
    const startedMs = now.atMs - now.process.uptimeMs
    const nothing = { atMs: startedMs, process: { routes: [], delayCounts: null }, outgoing: NOTHING }
    const base = startedMs >= fromMonotonicMs - START_GRAIN_MS ? nothing : past?.firstSince(fromMonotonicMs) ?? before
    const { delayCounts = null, routes } = base.process ?? now.process
    const longestMs = Math.max(facts.stallThresholdMs, ...inTime.map(({ durationMs }) => durationMs))
    const delay = { ...now.process.delay, ...(now.process.delayCounts && quantilesSince(delayCounts, now.process.delayCounts, longestMs)) }
    const ms = now.atMs - base.atMs
    // Idle time at the end is not part of the observed time.
    const observedMs = Math.min(ms, Math.max(0, fromMs + (activity?.observedMs ?? 0) - (Date.now() - ms))) || ms
    const calls = callsSince(base.outgoing.calls, now.outgoing.calls)
    return { process: { ...now.process, delay }, calls, pace: now.isStale ? { ms: 0, routes: [] } : { ms: observedMs, routes: routesSince(routes, now.process.routes) } }
  }
}

/** @param {Pick<ConstructorParameters<typeof FindingsReader>[0], 'threadLoad' | 'threadWatch'>} parts */
function readThreads ({ threadLoad, threadWatch }) {
  const load = threadLoad.read(LOOK_BACK_MS)
  return load && { ...load, watched: threadWatch.busiest() }
}

/**
 * @param {PastReading | null | undefined} base  of a minute ago
 * @param {Pick<PastReading, 'atMs'> & { process: Pick<PastReading['process'], 'routes'> | null }} before  of a moment ago
 * @param {Reading} now
 * @returns {boolean} whether requests come in about as fast as before, however little the loop has to do for them
 */
function isServing (base, before, now) {
  if (now.process === null || before.process === null) return false
  const countOf = (/** @type {{ routes: readonly RouteReading[] }} */ { routes }) => sum(routes, ({ count }) => count)
  const all = countOf(now.process)
  const [counted, ms] = base == null ? [all, now.process.uptimeMs] : [all - countOf(base.process), now.atMs - base.atMs]
  return counted > 0 && (all - countOf(before.process)) * ms >= counted * (now.atMs - before.atMs) * SAME_PACE
}

/** @param {Reading} before @param {Reading} now @returns {System} */
function systemBetween (before, now) {
  const change = (/** @type {'cpuMs' | 'runQueueMs' | 'throttledMs'} */ name) => {
    const [earlier, later] = [before.system[name], now.system[name]]
    return earlier === null || later === null ? null : Math.max(0, Math.round((later - earlier) * 10) / 10)
  }
  return { ms: now.atMs - before.atMs, cpuMs: change('cpuMs'), runQueueMs: change('runQueueMs'), throttledMs: change('throttledMs'), io: ioBetween(before.io, now.io) }
}

/** @param {SchedulerReading} reading @returns {Readings['ownCpu']} */
function ownCpuOf ({ cpuMs, runQueueMs, observerCpuMs }) {
  const isKnown = cpuMs !== null && runQueueMs !== null && cpuMs > 0
  return { ranShare: isKnown ? cpuMs / (cpuMs + runQueueMs) : 1, observerMs: observerCpuMs }
}

/** @param {IoReading | null} before @param {IoReading | null} now @returns {System['io']} */
function ioBetween (before, now) {
  if (before === null || now === null) return null
  return {
    reads: now.reads - before.reads,
    readBytes: now.readBytes - before.readBytes,
    writes: now.writes - before.writes,
    writtenBytes: now.writtenBytes - before.writtenBytes
  }
}

/**
 * @param {readonly RouteReading[]} before
 * @param {readonly RouteReading[]} now
 * @returns {RouteReading[]}
 */
function routesSince (before, now) {
  const earlier = new Map(before.map(route => [route.route, route]))
  return now.map(({ route, count, seconds }) => {
    const { count: countBefore = 0, seconds: secondsBefore = 0 } = earlier.get(route) ?? {}
    return { route, count: count - countBefore, seconds: seconds - secondsBefore }
  }).filter(({ count }) => count > 0)
}

/**
 * @param {readonly CountedCalls[]} before
 * @param {readonly CountedCalls[]} now
 * @returns {CallReading[]}
 */
function callsSince (before, now) {
  const earlier = new Map(before.map(call => [callName(call), call]))
  return now.map(call => {
    const { kind, operation, target, errors, reading } = call
    const known = earlier.get(callName(call))
    const count = reading.count - (known?.reading.count ?? 0)
    return { kind, operation, target, count, errors: errors - (known?.errors ?? 0), seconds: reading.sum - (known?.reading.sum ?? 0), ...quantilesSince(known?.reading, reading, Infinity) }
  }).filter(({ count }) => count > 0)
}

/** @param {Record<string, number>[]} readings */
function mostOf (readings) {
  /** @type {Record<string, number>} */
  const most = {}
  for (const [port, count] of readings.flatMap(Object.entries)) most[port] = Math.max(most[port] ?? 0, count)
  return most
}

/**
 * @param {BucketReading | null | undefined} before
 * @param {BucketReading} now
 * @param {number} maxMs  no delay was longer; the quantile of a wide bucket could be
 */
function quantilesSince (before, { bounds, counts, count }, maxMs) {
  const since = { bounds, counts: counts.map((upTo, index) => upTo - (before?.counts[index] ?? 0)), count: count - (before?.count ?? 0) }
  const [p50Ms, p99Ms] = [0.5, 0.99].map(share => Math.min(maxMs, quantileOf(since, share) * 1e3))
  return { p50Ms, p99Ms }
}

/**
 * Whether a problem that was there before the last mark, such as a deployment, is there again after it.
 * @param {Pick<Finding, 'where' | 'over'>} finding
 * @param {readonly Stall[]} stalls  the kept ones
 * @param {readonly Mark[]} marks  oldest first
 * @returns {Again | null}
 */
function againSince ({ where, over }, stalls, marks) {
  const mark = marks.at(-1)
  if (mark === undefined || where === null || over !== null) return null
  const same = stalls.filter(({ culprit }) => culprit !== null && culprit.function === where.function && culprit.file === where.file)
  const before = same.filter(({ at, durationMs }) => at + durationMs <= mark.at)
  const after = same.filter(({ at }) => at > mark.at)
  if (before.length === 0 || after.length === 0) return null
  return { mark: mark.text, markedAt: mark.at, lastBefore: Math.max(...before.map(({ at }) => at)), firstAfter: Math.min(...after.map(({ at }) => at)) }
}

module.exports = { FindingsReader, againSince }
