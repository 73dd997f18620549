'use strict'

// Detects and explains stalls in the observer thread. While a stall lasts, it reads the stack of the stuck thread and writes a first report
// to standard error, since the main thread cannot log. When the stall is over, its report waits for the window that holds it, reads the
// evidence, and names cause and culprit.

const { isDeepStrictEqual } = require('node:util')
const { guarded } = require('../../base/guard')
const { monotonicMicros, toEpochMs } = require('../../base/monotonic')
const { sumBy } = require('../../base/sums')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { toStall } = require('../../shared/stalls/stall')
const { describeCulprit, toLogFields } = require('../../shared/stalls/stall-line')
const { createBlockedStacks } = require('./culprit/blocked-stacks')
const { findCulprit } = require('./culprit/find-culprit')
const { culpritAt, culpritFromStacks } = require('./culprit/culprit-from-stacks')
const { createSourceLines } = require('./culprit/source-lines')
const { Evidence } = require('./evidence')
const { acceptCulprit, canUseProbes, codeSampleCount, judgeCause, longestBusyMs, longestGapMs, shareSampled } = require('./judge-cause')
const { LoopSeries, StallRecords } = require('./stall-records')
const { createHousekeeping, StallWatch } = require('./stall-watch')

/** @import { Cause, Culprit, Stall, StallEvidence, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { ObserverSettings } from '../../link/messages' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { BlockedStack } from '../../probe/blocked-stack' */
/** @import { MeasuredStall, Subject } from '../../shared/stalls/stall' */
/** @import { History } from '../recorder/history' */
/** @import { StackProbe, RawProbe } from './culprit/blocked-stacks' */
/** @import { Findings } from './culprit/find-culprit' */
/** @import { SourceLines } from './culprit/source-lines' */
/** @import { SchedulerReading } from './scheduler' */
/** @import { LastingStall } from './stall-records' */
/** @import { Stuck } from './stall-watch' */

/** @typedef {Pick<StallEvidence, 'cpuMs' | 'runQueueMs' | 'throttledMs' | 'observerLateMs'>} SystemEvidence */
/** @typedef {{ cause: Cause, profile: CpuProfile | null, probes: RawProbe[] } & Pick<Findings, 'culprit' | 'stack'>} Generated  profile: null for older ones */

// The main thread ends its window within MIN_ROTATION_MICROS after a stall, unless the next stall holds it up.
const MAX_WAIT_MS = 5000
// V8 answers an interrupt within a few milliseconds when it answers at all.
const ANSWER_MS = 250
// How late this thread itself is shows with its next timers.
const SETTLE_MS = 2
// Reading a map of a few megabytes takes a fraction of a second. A report does not wait for one that takes longer; that map is available
// for the next stall.
const MAX_MAPPING_MS = 3000
const MAX_MAPPING_WHILE_STUCK_MS = 1000
const MIN_ROUTE_SHARE = 0.5
const MAX_GENERATED = 200 // as many as are kept
const MAX_GENERATED_PROFILES = 20
/** @type {Readonly<Subject>} */
const NO_SUBJECT = Object.freeze({ route: null, trace: null })
const NOTHING_SEEN = Object.freeze({ culprit: null, stack: [], routeByCode: null })
const NOTHING_FOUND = Object.freeze({ culprit: null, origin: null, stack: [], codeMs: null, gcMs: null, probes: [] })

/**
 * @param {object} parts
 * @param {ObserverSettings} parts.settings
 * @param {SharedState} parts.state
 * @param {{ take (): () => SchedulerReading }} parts.scheduler
 * @param {import('../recorder/recorder-client').RecorderClient} parts.recorder
 * @param {Pick<import('../../source-maps/source-maps').SourceMaps, 'profile' | 'frames' | 'isKnown'>} parts.sourceMaps
 * @param {(nodes: ProfileNode[]) => Map<number, string>} parts.routesOf  the routes of those nodes that work for one only, by id
 * @param {(fields: object, message: string) => void} parts.logNow  writes straight to standard error
 */
function createStallDetection ({ settings, state, scheduler, recorder, sourceMaps, routesOf, logNow }) {
  const evidence = new Evidence({ scheduler, state })
  const records = new StallRecords()
  const onStuck = /** @type {Listeners<Stuck>} */ (new Listeners())
  const onOver = /** @type {Listeners<Stall>} */ (new Listeners())
  const subjects = new Subjects()
  const stacks = createBlockedStacks(settings, (frames, maxMs) => sourceMaps.frames(frames, { maxMs }))
  // The session may close before the answer.
  const probe = guarded(() => recorder.probeNow().then(seen => { if (seen !== undefined) stacks.add(seen.stack) }, () => {}))
  const context = { ...settings, source: createSourceLines(settings) }
  const { interval, turn } = createHousekeeping()
  /** @type {StallWatch} */
  const watch = new StallWatch({
    state,
    stallThresholdMs: settings.stallThresholdMs,
    onWake: lateMs => evidence.note(lateMs),
    // Reads only the route and the place in the code. The window ends when the stall is over, or for the report of one that lasts: ending
    // it here as well would make every stall longer.
    onSuspicion: guarded(stuck => {
      probe()
      return recorder.disconnectOnPause(() => watch.isStill(stuck))
    }),
    onStall: stuck => {
      probe()
      onStuck.emit(stuck)
    },
    onProbe: probe,
    onReport: guarded(stuck => reports.reportWhileStuck(stuck)),
    onTurned: turn
  })
  /** @type {StallReports} */
  const reports = new StallReports({
    history: recorder.history,
    evidence,
    isRecording: () => recorder.isRecording,
    canProbe: () => recorder.hasSession,
    rotateNow: () => recorder.rotateNow(),
    probesOf: stacks.probesBetween,
    toOriginalProbes: stacks.toOriginal,
    isStill: stuck => watch.isStill(stuck),
    routesOf,
    logNow,
    records,
    context,
    thresholdMs: settings.stallThresholdMs,
    toOriginal: (profile, maxMs) => sourceMaps.profile(profile, { maxMs }),
    isMapped: (profile, probes) => sourceMaps.isKnown({ profile, frames: stacks.positionsOf(probes) })
  })
  return {
    /** A stall that still lasts: listeners for one that reaches the threshold, and what can be read of it. */
    lasting: {
      onStuck: onStuck.add,
      isStill: (/** @type {Stuck} */ stuck) => watch.isStill(stuck) && state.ownWorkMicros === 0,
      describe: (/** @type {Stuck} */ stuck) => reports.describeWhileStuck(stuck),
      evidenceSince: (/** @type {number} */ fromMicros) => evidence.between(fromMicros),
      probesBetween: stacks.probesBetween
    },
    records,
    series: new LoopSeries({ state, interval }),
    /** For periodic work that needs no wake-up of its own. */
    interval,
    subjects,
    /**
     * @param {MeasuredStall} measured
     * @param {Subject | null} subject  null: it comes later
     * @returns {Promise<Stall | null>} null when a suspected stall was none
     */
    async report (measured, subject) {
      const stall = await reports.explain(measured, subject ?? subjects.of(measured.id))
      if (stall !== null) onOver.emit(stall)
      return stall
    },
    /**
     * What ran when this stack was read.
     * @param {BlockedStack} stack
     * @returns {Promise<{ culprit: Culprit | null } | null>} null: nothing but loopscope
     */
    async describeProbe (stack) {
      const raw = stacks.read(stack)
      if (raw.calls.length === 0) return null
      const [probe] = await stacks.toOriginal([raw], MAX_MAPPING_WHILE_STUCK_MS)
      return { culprit: culpritAt(probe, context) }
    },
    /** Called when a source map was read. */
    learned: () => reports.learned(),
    explainNow: () => reports.explainNow(),
    /** Whether the machine has no spare CPU time. */
    isShort: () => evidence.isShort(),
    addAlarm: watch.addAlarm.bind(watch),
    /** Adds a listener for each stall that is over and explained. */
    onOver: onOver.add,
    start: () => watch.start(),
    speedUp: () => watch.speedUp()
  }
}

/** @template T */
class Listeners {
  /** @type {Set<(value: T) => void>} */
  #all = new Set()

  /** @param {(value: T) => void} listener @returns {() => void} removes the listener */
  add = listener => {
    this.#all.add(listener)
    return () => { this.#all.delete(listener) }
  }

  /** @param {T} value */
  emit (value) {
    for (const listener of this.#all) listener(value)
  }
}

/** What the main thread worked for in stalls, if that comes after the report. */
class Subjects {
  /** @type {Map<number, (subject: Subject) => void>} */
  #awaited = new Map()

  /**
   * @param {number} id  of a stall that was just reported
   * @returns {Promise<Subject>}
   */
  of (id) {
    return new Promise(resolve => {
      const timer = setTimeout(() => this.set(id, NO_SUBJECT), MAX_WAIT_MS)
      this.#awaited.set(id, subject => {
        clearTimeout(timer)
        resolve(subject)
      })
    })
  }

  /** @param {number} id @param {Subject} subject */
  set (id, subject) {
    this.#awaited.get(id)?.(subject)
    this.#awaited.delete(id)
  }
}

/** Writes the reports of stalls: of those that are over, and of one that lasts. */
class StallReports {
  #parts
  /** Stalls reported with generated positions, oldest first. @type {(Generated & { id: number })[]} */
  #generated = []
  /** What ends the waiting for the source maps of each report. @type {Set<() => void>} */
  #hurries = new Set()
  #hurriedMicros = -Infinity

  /**
   * @param {object} parts
   * @param {History} parts.history
   * @param {Pick<Evidence, 'between'>} parts.evidence
   * @param {() => boolean} parts.isRecording
   * @param {() => boolean} parts.canProbe  whether there is an inspector session for stack probes
   * @param {() => Promise<{ route: string | null, trace: Trace | null } | undefined>} parts.rotateNow  ends the window while the main thread is busy
   * @param {(fromMicros: number, toMicros: number) => RawProbe[]} parts.probesOf  the stack probes of this time
   * @param {(stuck: Stuck) => boolean} parts.isStill
   * @param {(nodes: ProfileNode[]) => Map<number, string>} parts.routesOf
   * @param {(fields: object, message: string) => void} parts.logNow   writes straight to standard error
   * @param {Pick<StallRecords, 'add' | 'keepProfile' | 'setLasting' | 'update'>} parts.records
   * @param {{ appRoot: string, hz: number, source?: SourceLines }} parts.context
   * @param {number} parts.thresholdMs
   * @param {(profile: CpuProfile, maxMs: number) => Promise<CpuProfile>} parts.toOriginal  a profile with positions in the original source
   * @param {(probes: RawProbe[], maxMs: number) => Promise<StackProbe[]>} parts.toOriginalProbes
   * @param {(profile: CpuProfile, probes: RawProbe[]) => boolean} parts.isMapped  whether the original positions of all these places are resolved
   */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * @param {MeasuredStall} measured  a stall that is over
   * @param {Subject | Promise<Subject>} subject
   * @returns {Promise<Stall | null>} as it is recorded; null when a suspected stall was none
   */
  async explain (measured, subject) {
    const { history, evidence, isRecording, records, context, thresholdMs, probesOf, isMapped, routesOf } = this.#parts
    const { id, fromMicros, toMicros, delayMs: lateMs, ownWork, ownMs, threadCpuMs = null, isSuspected = false } = measured
    await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
    // Not from the tick before: no stall has waited for longer than it lasted.
    const ofSystem = evidence.between(Math.max(fromMicros, toMicros - (lateMs + ownMs) * 1e3), toMicros)
    const whole = threadCpuMs === null ? ofSystem : { ...ofSystem, cpuMs: threadCpuMs }
    if (isRecording()) await history.waitFor(toMicros, MAX_WAIT_MS)
    const workedFor = await subject
    const delayMs = isSuspected ? longestBusyMs(history.view(fromMicros, toMicros, ownWork)) : lateMs
    if (isSuspected && delayMs < thresholdMs) return null
    const system = shareOf(whole, delayMs / (delayMs + ownMs))
    const beganMicros = toMicros - (delayMs + ownMs) * 1e3
    const profile = history.view(beganMicros, toMicros, ownWork)
    if (profile !== null) records.keepProfile(id, profile)
    const probes = probesOf(fromMicros, toMicros)
    const findings = profile === null ? NOTHING_FOUND : await this.#find(profile, probes, toMicros < this.#hurriedMicros ? 0 : MAX_MAPPING_MS)
    const { codeMs, gcMs } = findings
    const all = { ...system, codeMs: round(codeMs), gcMs: round(gcMs) }
    const unsampledMs = profile === null ? null : Math.max(0, longestGapMs(profile) - ownMs)
    const missedMs = profile === null ? delayMs : (profile.startTime - beganMicros) / 1e3
    const sampledShare = profile === null ? 0 : shareSampled(profile, delayMs, context.hz)
    const cause = judgeCause({ durationMs: delayMs, thresholdMs, unsampledMs, missedMs, sampledShare, isOwnCpu: threadCpuMs !== null }, all)
    const { culprit, stack } = pickCulprit(cause, findings, profile === null ? 0 : codeSampleCount(profile), context)
    const route = workedFor.route ?? (profile === null ? null : routeOfCode(profile, routesOf))
    const stall = toStall(measured, { ...workedFor, route }, { delayMs, cause, culprit, stack, evidence: all })
    records.add(stall)
    if (profile !== null && !isMapped(profile, probes)) {
      this.#generated = [...this.#generated, { id, cause, profile, probes, culprit, stack }].slice(-MAX_GENERATED)
      const tooMany = this.#generated.at(-1 - MAX_GENERATED_PROFILES)
      if (tooMany !== undefined) tooMany.profile = null
    }
    return stall
  }

  /** @param {number} fromMicros @param {number} toMicros */
  async #inspect (fromMicros, toMicros) {
    const { history, probesOf, routesOf } = this.#parts
    const profile = history.view(fromMicros, toMicros)
    if (profile === null) return NOTHING_SEEN
    const { culprit, stack } = await this.#find(profile, probesOf(fromMicros, toMicros), MAX_MAPPING_WHILE_STUCK_MS)
    return { culprit, stack, routeByCode: routeOfCode(profile, routesOf) }
  }

  /** A source map was read: stalls that were reported without it are reported again. */
  async learned () {
    const { isMapped, records, context } = this.#parts
    const stalls = this.#generated
    // The map of the application may be read before that of a package on the same stack: each is used at once.
    this.#generated = stalls.filter(({ profile, probes }) => profile === null || !isMapped(profile, probes))
    /** @type {Map<string, Pick<Findings, 'culprit' | 'stack'>>} */
    const corrected = new Map()
    for (const { id, cause, profile, probes, culprit, stack } of stalls) {
      if (profile === null) continue
      const picked = pickCulprit(cause, await this.#find(profile, probes, 0), codeSampleCount(profile), context)
      if (isDeepStrictEqual([picked.culprit, picked.stack], [culprit, stack])) continue
      corrected.set(keyOf({ culprit, stack }), picked)
      records.update(id, picked)
    }
    for (const { id, culprit, stack, profile } of stalls) {
      const same = profile === null ? corrected.get(keyOf({ culprit, stack })) : undefined
      if (same !== undefined) records.update(id, { culprit: same.culprit && culprit && { ...same.culprit, share: culprit.share }, stack: same.stack })
    }
  }

  /** @param {CpuProfile} profile @param {RawProbe[]} raw @param {number} maxMappingMs */
  async #find (profile, raw, maxMappingMs) {
    const { context, toOriginal, toOriginalProbes } = this.#parts
    const within = (/** @type {number} */ maxMs) => Promise.all([toOriginal(profile, maxMs), toOriginalProbes(raw, maxMs)])
    let hurry = () => {}
    const hurried = /** @type {ReturnType<typeof within>} */ (new Promise(resolve => { hurry = () => resolve(within(0)) }))
    this.#hurries.add(hurry)
    const [original, probes] = await Promise.race([within(maxMappingMs), hurried]).finally(() => this.#hurries.delete(hurry))
    return { ...findCulprit(original, context, probes.map(({ stack }) => stack)), probes }
  }

  /** The application ends, and waits for these reports: generated positions are better than none. */
  explainNow () {
    this.#hurriedMicros = monotonicMicros()
    for (const hurry of this.#hurries) hurry()
  }

  /**
   * What is available about a stall that still lasts.
   * @param {Stuck} stuck
   * @returns {Promise<LastingStall | null>} null when the stall is over
   */
  async describeWhileStuck (stuck) {
    const { history, isRecording, isStill, rotateNow } = this.#parts
    const interrupted = rotateNow().catch(() => undefined) // the session may close before the answer
    const now = monotonicMicros()
    const isKnown = isRecording() && await history.waitFor(now, ANSWER_MS)
    const { culprit, stack, routeByCode } = isKnown ? await this.#inspect(stuck.tickMicros, now) : NOTHING_SEEN
    if (!isStill(stuck)) return null
    const { route = null, trace = null } = (isKnown && await interrupted) || {}
    const durationMs = Math.round((now - stuck.tickMicros) / 1e3)
    return { at: Math.round(toEpochMs(stuck.tickMicros)), durationMs, route: route ?? routeByCode, trace, culprit, stack }
  }

  /** @param {Stuck} stuck */
  async reportWhileStuck (stuck) {
    const { records, isStill, logNow } = this.#parts
    const lasting = await this.describeWhileStuck(stuck)
    if (lasting === null) return
    records.setLasting(lasting, () => isStill(stuck))
    logNow(toLogFields({ ...lasting, lasting: true }), `the event loop has been stuck for ${lasting.durationMs} ms, ${this.#whereOf(lasting)}`)
  }

  /** @param {LastingStall} lasting */
  #whereOf ({ route, culprit, stack }) {
    if (culprit) return `in ${describeCulprit(culprit, { route, stack })}${route === null ? '' : ` for ${route}`}`
    if (this.#parts.canProbe()) return 'in a native call, or the process is not being run: V8 does not answer'
    return 'which cannot be looked at while it lasts: there is no inspector'
  }
}

/** @param {Pick<Findings, 'culprit' | 'stack'>} shown  as it was reported: of equal ones equal corrections hold */
function keyOf ({ culprit, stack }) {
  return JSON.stringify([culprit && { ...culprit, share: null }, stack])
}

/**
 * @param {Cause} cause
 * @param {Pick<Findings, 'culprit' | 'origin' | 'stack'> & { probes: StackProbe[] }} findings
 * @param {number} codeSamples
 * @param {Parameters<typeof culpritFromStacks>[1]} context
 * @returns {Pick<Findings, 'culprit' | 'stack'>} from the samples, or from the stack probes if those name the culprit
 */
function pickCulprit (cause, findings, codeSamples, context) {
  // A suspended process ran nothing: what the samples around the stall show is not the culprit.
  if (cause === 'suspended') return { culprit: null, stack: [] }
  const fromStacks = canUseProbes(cause, codeSamples) ? culpritFromStacks(findings.probes, context) : null
  return fromStacks ?? { culprit: acceptCulprit(cause, findings, codeSamples), stack: findings.stack }
}

/**
 * The system's figures do not separate loopscope's own work: the application gets its share of them.
 * @param {SystemEvidence} evidence
 * @param {number} share
 * @returns {SystemEvidence}
 */
function shareOf ({ cpuMs, runQueueMs, throttledMs, observerLateMs }, share) {
  const scaled = (/** @type {number | null} */ ms) => ms === null ? null : round(ms * share)
  return { cpuMs: scaled(cpuMs), runQueueMs: scaled(runQueueMs), throttledMs: scaled(throttledMs), observerLateMs: scaled(observerLateMs) }
}

/**
 * The route by the functions that ran: for a callback on a connection of all requests, no request is known to have run.
 * @param {CpuProfile} profile
 * @param {(nodes: ProfileNode[]) => Map<number, string>} routesOf
 * @returns {string | null} null: no route has half of the time
 */
function routeOfCode ({ nodes, samples, timeDeltas, startTime, endTime }, routesOf) {
  const routes = routesOf(nodes)
  const micros = sumBy(samples.map((id, index) => ({ route: routes.get(id) ?? null, delta: timeDeltas[index] })), ({ route }) => route, ({ delta }) => delta)
  const [most] = [...micros].find(([route, time]) => route !== null && time >= (endTime - startTime) * MIN_ROUTE_SHARE) ?? [null]
  return most
}

/** @param {number | null} ms */
function round (ms) {
  return ms === null ? null : Math.round(ms * 10) / 10
}

module.exports = { StallReports, createStallDetection }
