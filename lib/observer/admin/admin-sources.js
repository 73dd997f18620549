'use strict'

// The data and actions of the admin surface's routes, for one application: the observer's own parts, and the main thread behind a time limit.

const { monotonicMicros, toEpochMs } = require('../../base/monotonic')
const { nullWhenBlocked } = require('../../link/main-client')
const { workLinesOf } = require('../../formats/profile/work-lines')
const { FindingsReader } = require('../findings/findings')
const { errors } = require('../../base/errors')
const { checkRequest } = require('../../shared/captures/kinds')
const { identityOfId, isKnownToRun, memberIdOf, ownIdentity } = require('../../shared/group/member-facts')
const { listMembers } = require('../../shared/group/members')
const { newMark } = require('../../shared/marks')
const { readWaits } = require('../waits/wait-profile')
const { WhatIf } = require('../what-if/what-if')

/** @import { CaptureOptions, Logger, Trigger } from '../../../types/diagnostics' */
/** @import { Member } from '../../shared/group/members' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { RulesStatus } from '../../../types/rules' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { HeapSampling } from '../../formats/profile/heap-tree' */
/** @import { Channel } from '../../link/channel' */
/** @import { ToMain, ToObserver, ObserverSettings } from '../../link/messages' */
/** @import { ResolvedOptions } from '../../api/options/resolve-options' */
/** @import { AdminEvent } from '../counts' */
/** @import { CaptureParts } from '../capture-parts' */
/** @import { CaptureControls, StoreLocation } from '../captures' */
/** @import { MainClient } from '../../link/main-client' */
/** @import { RecorderClient } from '../recorder/recorder-client' */

// The time limit of authorize() on the main thread: shorter than a scraper's timeout.
const AUTHORIZE_MS = 2000
// A page that shows the past does not wait five seconds for the end of a window.
const MAX_PAST_WAIT_MS = 700
// A report reads every library and socket of the process.
const REPORT_MS = 10_000

/** @typedef {ReturnType<typeof import('../group/group-metrics').createGroupMetrics>} GroupMetrics */
/** @typedef {Parameters<typeof createAdminSources>[0]} SourceParts */

/**
 * @typedef {StoreLocation & Pick<ResolvedOptions, 'heap' | 'rules' | 'rulesDryRun'> & ApplicationFacts} ApplicationSettings  of one application
 *
 * @typedef {object} ApplicationFacts
 * @property {number} id
 * @property {string} group
 * @property {string | null} controlDir  null: no control socket
 * @property {string} version
 * @property {number} startedAt
 *
 * @param {object} parts
 * @param {ApplicationSettings} parts.application
 * @param {ObserverSettings} parts.settings
 * @param {MainClient} parts.main
 * @param {ReturnType<typeof import('../stalls/stall-detection').createStallDetection>} parts.stalls
 * @param {(fields: object, message: string) => void} parts.logNow  writes directly to standard error
 * @param {() => import('../egress/egress').Egress | undefined} parts.egress  undefined: no application configured it
 * @param {() => RulesStatus} parts.rules  the application's rules and their states
 * @param {import('../../shared/marks').Marks} parts.marks
 * @param {import('../memory/memory-watch').MemoryWatch} parts.memory
 * @param {Pick<import('../memory/sites/site-watch').SiteWatch, 'arm' | 'current'>} parts.allocationSites
 * @param {import('../stalls/scheduler').Scheduler} parts.scheduler
 * @param {import('../sync-calls/pool-probe').PoolWaits} parts.poolWaits
 * @param {() => import('../findings/past-readings').Outgoing} parts.outgoing
 * @param {import('../threads/thread-load').ThreadLoadMeter} parts.threadLoad
 * @param {import('../threads/thread-watch').ThreadWatch} parts.threadWatch
 * @param {Pick<import('../slow-requests/slow-requests').SlowRequests, 'list' | 'handedOverMs'>} parts.slowRequests
 * @param {Pick<import('../waits/wait-profile').WaitProfile, 'read' | 'settleNow'>} parts.waitProfile
 * @param {Pick<import('../requests/requests-in-flight').RequestsInFlight, 'read'>} parts.requestsInFlight
 * @param {import('../what-if/request-history').RequestHistory} parts.requestHistory
 * @param {{ readNow (): Promise<boolean> }} parts.windowReading  false: the open window did not arrive in time
 * @param {Pick<import('../sync-calls/sampled-calls').SampledCalls, 'read'>} parts.sampledCalls
 * @param {import('../findings/past-readings').PastReadings} parts.past  past readings of the application
 * @param {Pick<RecorderClient, 'views' | 'range' | 'canProbe' | 'debuggerReason' | 'threadSessions'>} parts.recorder
 * @param {Pick<CaptureParts, 'run' | 'sampler' | 'storeAt'>} parts.captures
 * @param {Pick<import('../../source-maps/source-maps').SourceMaps, 'profile' | 'heapSampling' | 'threadPid'>} parts.sourceMaps
 * @param {typeof import('../report-sections').reportSections} parts.reportSections
 * @param {ReturnType<typeof import('../heap/comparison-job').createComparisons>} parts.comparisons
 * @param {(event: AdminEvent) => void} parts.count
 * @param {Pick<Channel<ToMain, ToObserver>, 'tell'>} parts.channel
 */
function createAdminSources (parts) {
  const { application, settings, main, marks, captures, reportSections, comparisons } = parts
  const { records, series } = parts.stalls
  const { id, appName, appRoot, dir, retention } = application
  const log = main.log(id)
  const facts = factsOf(application, settings)
  const loopNow = () => ({ blockedMs: Math.round(series.blockedMs()) })
  const view = createView(parts.recorder.views({ maxPastWaitMs: MAX_PAST_WAIT_MS }))
  const toOriginal = (/** @type {CpuProfile} */ profile) => parts.sourceMaps.profile(profile, { isAsked: true })
  const stalls = () => records.read()
  const lines = () => workLinesOf(stalls().stalls)
  const findings = new FindingsReader({
    facts,
    scheduler: parts.scheduler,
    poolWaits: parts.poolWaits,
    threadLoad: parts.threadLoad,
    threadWatch: parts.threadWatch,
    memory: parts.memory,
    past: parts.past,
    outgoing: parts.outgoing,
    whatIf: new WhatIf(parts.requestHistory),
    marks: () => marks.list(),
    askProcess: () => askProcess(parts),
    slowRequests: () => readSlowRequests(parts),
    waits: parts.waitProfile,
    requests: () => parts.requestsInFlight.read(),
    view,
    toOriginal,
    stalls,
    loopNow
  })

  return {
    facts,
    isInGroup: application.controlDir !== null,
    group: createOwnGroup(application, log),
    loopNow,
    recorder: () => describeRange(parts.recorder.range()),
    findings: () => findings.find(),
    whatIf: (/** @type {{ route: string, scale?: number }} */ wanted) => findings.whatIf(wanted),
    series: () => series.list(),
    requestTotals: () => series.requests,
    threads: () => parts.threadWatch.read(),
    knownThreads: () => parts.threadWatch.running ? parts.threadWatch.known() : null,
    threadLoad: (/** @type {number} */ lastMs) => parts.threadLoad.read(lastMs),
    marks: () => marks.list(),
    rules: parts.rules,
    mark: (/** @type {unknown} */ text) => makeMark(text, marks),
    stalls,
    stallProfile: (/** @type {number} */ stall) => records.profile(stall),
    ask: (/** @type {'memory' | 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading'} */ name) => main.readOrLast(name, id),
    authorize: (/** @type {unknown} */ request, /** @type {string} */ scope) => {
      return main.ask('authorize', { application: id, request, scope }, AUTHORIZE_MS)
    },
    report: () => main.read('report', {}, REPORT_MS),
    memory: () => parts.memory.read(),
    allocationSites: (/** @type {number | null} */ seconds, /** @type {AbortSignal} */ signal) => seconds === null ? parts.allocationSites.current() : parts.allocationSites.arm({ seconds }, signal),
    syncCalls: () => readSyncCalls(parts),
    exactCalls: () => readExactCalls(parts),
    slowRequests: () => readSlowRequests(parts),
    waits: (/** @type {{ seconds?: number, route?: string }} */ wanted, /** @type {AbortSignal} */ signal) => readWaits(parts, wanted, signal),
    requests: () => parts.requestsInFlight.read(),
    sampleHeap: captures.sampler.sample.bind(captures.sampler),
    compareSnapshots: comparisons.compare,
    view,
    checkCapture: (/** @type {string} */ kind, /** @type {CaptureOptions} */ options) => { checkRequest(kind, options) },
    capture: createCapture(parts),
    store: captures.storeAt({ dir, retention, appName, appRoot }),
    context: (/** @type {string} */ title, /** @type {string[]} */ notes = []) => ({ appRoot, title, notes, lines: lines() }),
    toOriginal,
    toOriginalHeap: (/** @type {HeapSampling} */ sampling) => parts.sourceMaps.heapSampling(sampling, { isAsked: true }),
    reportSections: (/** @type {CpuProfile} */ profile) => reportSections(profile, appRoot, lines()),
    log,
    count: parts.count
  }
}

/** @param {ApplicationSettings} application @param {ObserverSettings} settings */
function factsOf ({ appName, group, appRoot, startedAt, version }, { keepSeconds, hz, stallThresholdMs }) {
  const { pid, versions: { node: nodeVersion } } = process
  return { appName, group, appRoot, pid, startedAt, nodeVersion, version, keepSeconds, hz, stallThresholdMs }
}

/**
 * @param {ReturnType<RecorderClient['range']>} range
 * @returns {{ off: string | null, fromMs: number | null }} off: why the recorder is off; fromMs: start of what it holds, in milliseconds since the
 *   epoch
 */
function describeRange ({ offReason, fromMicros }) {
  return { off: offReason, fromMs: offReason === null && Number.isFinite(fromMicros) ? Math.round(toEpochMs(fromMicros)) : null }
}

/** @param {unknown} text @param {SourceParts['marks']} marks */
function makeMark (text, marks) {
  const mark = newMark(text)
  marks.add(mark)
  return mark
}

/**
 * @param {{ application: Pick<ApplicationSettings, 'id'>, main: Pick<SourceParts['main'], 'readOrLast'> }} parts
 * @returns {Promise<import('../../link/main-client').LastAnswer | null>} null: the main thread never answered
 */
function askProcess ({ application: { id }, main }) {
  return main.readOrLast('processReading', id).catch(nullWhenBlocked)
}

/**
 * Reads slow requests, including the main thread's notes so far; while it is blocked, only those that it has sent.
 * @param {Pick<SourceParts, 'main' | 'slowRequests'>} parts
 * @returns {Promise<{ isStale: boolean, at: number | null, requests: SlowRequest[] }>} at: the time they cover; null: nothing was sent yet
 */
async function readSlowRequests ({ main, slowRequests }) {
  const isFresh = await main.handOver()
  return { isStale: !isFresh, at: slowRequests.handedOverMs, requests: slowRequests.list() }
}

/**
 * Reads synchronous calls: the samples so far, and the counts of the main thread.
 * @param {Pick<SourceParts, 'application' | 'settings' | 'main' | 'windowReading' | 'sampledCalls' | 'poolWaits'>} parts
 */
async function readSyncCalls (parts) {
  const [isCurrent, { value, at, isStale }] = await Promise.all([parts.windowReading.readNow(), readExactCalls(parts)])
  return { sampled: parts.sampledCalls.read(), ...value, pool: parts.poolWaits.counts(), at, isStale: isStale || !isCurrent }
}

/**
 * Only the main thread has the exact calls; while it is blocked, its last answer is used.
 * @param {Pick<SourceParts, 'application' | 'settings' | 'main'>} parts
 * @returns {Promise<import('../../link/main-client').LastAnswer>} every part of the value null: they are not counted, or it never answered
 */
async function readExactCalls ({ application: { id }, settings: { hasExactCalls }, main }) {
  const answer = hasExactCalls ? await main.readOrLast('exactCalls', id).catch(nullWhenBlocked) : null
  return answer ?? { value: { totals: null, exact: null, startUp: null }, at: Date.now(), isStale: hasExactCalls }
}

/**
 * Creates the view function, with times in milliseconds since the epoch, like the routes.
 * @param {ReturnType<RecorderClient['views']>} views
 */
function createView (views) {
  /** @param {{ fromMs: number, toMs: number, threads?: boolean }} wanted @param {AbortSignal} [signal] */
  return async ({ fromMs, toMs, threads }, signal) => {
    const offsetMicros = Math.round(monotonicMicros() - Date.now() * 1e3)
    const toMicros = (/** @type {number} */ ms) => Math.round(ms * 1e3) + offsetMicros
    const view = await views.view({ fromMicros: toMicros(fromMs), toMicros: toMicros(toMs), threads }, signal)
    return { ...view, fromMs: toEpochMs(view.fromMicros), toMs: toEpochMs(view.toMicros) }
  }
}

/** @param {Pick<SourceParts, 'application' | 'captures'>} parts */
function createCapture ({ application, captures }) {
  const { appName, appRoot, dir, retention, heap } = application
  /** @param {{ kind: string, options: CaptureOptions, trigger: Trigger }} wanted @param {CaptureControls} controls */
  return async ({ kind, options, trigger }, controls) => {
    const request = checkRequest(kind, options)
    return captures.run({ request, trigger, appName, appRoot, dir, retention, heap }, controls)
  }
}

/**
 * The group of this process: its members, and its stored counters, which are loaded on first use.
 * @typedef {{ name: string, members: () => Promise<Member[]>, metrics: () => GroupMetrics }} OwnGroup
 *
 * @param {{ controlDir: string | null, group: string }} application  controlDir null: no control socket
 * @param {Pick<Logger, 'warn'>} log
 * @returns {() => OwnGroup} throws ERR_LOOPSCOPE_NO_GROUP
 */
function createOwnGroup ({ controlDir, group: name }, log) {
  if (controlDir === null) return () => { throw new errors.ERR_LOOPSCOPE_NO_GROUP() }
  const members = () => listMembers({ directories: [controlDir], group: name })
  /** @type {GroupMetrics | undefined} */
  let made
  const metrics = () => {
    made ??= makeMetrics({ controlDir, group: name, members, log })
    return made
  }
  return () => ({ name, members, metrics })
}

/** @param {{ controlDir: string, group: string, members: OwnGroup['members'], log: Pick<Logger, 'warn'> }} parts */
function makeMetrics ({ log, ...parts }) {
  const { createGroupMetrics } = require('../group/group-metrics')
  const { warnOnce } = require('../../base/warnings')
  return createGroupMetrics({
    ...parts,
    memberId: memberIdOf(ownIdentity()),
    isRunning: memberId => isKnownToRun(identityOfId(memberId)), // also one that closed its socket
    warn: problem => warnOnce(log, 'LOOPSCOPE_WARN_GROUP_COUNTERS', problem)
  })
}

module.exports = { createAdminSources, readSyncCalls }
