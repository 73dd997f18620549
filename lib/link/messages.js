'use strict'

// What passes between the threads: the table of messages. Each has a name, a direction, its parameters and, where it is asked, its
// answer. Both ends are held to it by the compiler, and pass their messages through channel.js.
//
// To add one: its signature in ToObserver or ToMain, its row in the table of that name, and its handler at the other end: in
// observer/thread.js, or in probe/observer-handlers.js. What one end only reads from the other is no message of its own, but a
// row of ObserverReadings or MainReadings, with its reader beside the handlers.

/** @import { CaptureKind, Mark, Stall, SyncCalls, Trigger } from '../../types/diagnostics' */
/** @import { Findings } from '../../types/findings' */
/** @import { CallFrame, CpuProfile } from '../../types/profile' */
/** @import { SlowRequest } from '../../types/slow-requests' */
/** @import { Opened } from '../probe/applications' */
/** @import { TakeFacts, TakeOrder } from '../probe/heap/take-snapshot' */
/** @import { EndedWindow } from '../probe/recorder/engines' */
/** @import { Notes } from '../probe/request-notes' */
/** @import { AdminApplication } from '../observer/admin/admin' */
/** @import { CapturedFacts, Order, StoreLocation } from '../observer/captures' */
/** @import { EgressOrder } from '../observer/egress/egress' */
/** @import { LimitOrder } from '../observer/heap/near-limit' */
/** @import { ClockRenewal } from '../observer/clock-renewer' */
/** @import { Adopted } from '../observer/heap/snapshot/orphaned-snapshots' */
/** @import { DebuggerStatus } from '../observer/recorder/debugger-detector' */
/** @import { Counts } from '../observer/counts' */
/** @import { ProcessReading } from '../shared/findings/readings' */
/** @import { LoopCounts } from '../shared/rules/conditions' */
/** @import { MeasuredStall, Subject } from '../shared/stalls/stall' */
/** @import { ApplicationMetrics } from '../observer/group/totals' */
/** @import { Question } from './channel' */
/** @import { RelayedRequest, RelayedResponse } from './relay' */

/**
 * @typedef {object} ObserverSettings  what the observer is started with
 * @property {SharedArrayBuffer} state
 * @property {number} stallThresholdMs
 * @property {number} keepSeconds
 * @property {number} hz
 * @property {boolean} isMainThread  that is observed
 * @property {number | null} threadPid  of it, to the system
 * @property {boolean} isInspectorForbidden  by the permission model, which a thread of ours cannot ask
 * @property {boolean} windowsBySession  the engine's windows reach the thread through its inspector session
 * @property {string} titlePrefix
 * @property {string} interruptExpression
 * @property {string} ownWorkExpression
 * @property {string} appRoot
 * @property {boolean} sourceMaps  option
 * @property {boolean} threads  option
 * @property {boolean} hasExactCalls  the main thread counts synchronous calls: option syncCalls
 * @property {number} poolSize  threads of libuv's pool
 * @property {string} [observerFile]
 */

/**
 * From the main thread to the observer.
 *
 * @typedef {object} ToObserver
 *
 * @property {(params: { on: boolean, reason: string }) => void} recording  whether windows come from now on, and if not why
 * @property {(params: { window: EndedWindow }) => void} window  one that has ended, of an engine whose windows the session does not bring
 * @property {(params: { notes: Notes }) => void} requestNotes  what requests did, with each window that ends and when it is asked for
 * @property {(params: {}) => void} speedUp  there is work: watch closely
 *
 * @property {(params: { measured: MeasuredStall, subject: Subject | null }) => Promise<Stall | null>} stall  that is over, to be explained and kept; subject null: it
 *   follows; the answer null: a suspected stall was none
 * @property {(params: { id: number, subject: Subject }) => void} stallSubject  once the request was answered, or half a second later
 *
 * @property {(question: Question<ObserverReadings>) => Promise<unknown>} readObserver  by ObserverClient.read(), which has the type of the answer
 *
 * @property {(params: { mark: Mark }) => void} keepMark
 *
 * @property {(params: { order: Order }) => Promise<CapturedFacts>} capture  can be cancelled
 * @property {(params: { kind: CaptureKind, trigger: Trigger }) => void} captureSkipped  not asked for, since one is under way
 * @property {(params: { location: StoreLocation }) => Promise<void>} prepareStore  rejects when captures could not be written there
 * @property {(params: { order: LimitOrder }) => Promise<Adopted[]>} watchLimit  of the heap; what dead processes left
 *
 * @property {(params: { order: EgressOrder }) => Promise<void>} openEgress
 *
 * @property {(params: { clock: number, renewal: ClockRenewal | null }) => Promise<void>} renewClock  null: no longer
 *
 * @property {(params: { application: AdminApplication }) => Promise<Opened>} openApplication  its admin surface
 * @property {(params: { application: number, metrics: ApplicationMetrics | null }) => void} closeApplication  what it has counted, where a group was told of it
 * @property {(params: RelayedRequest) => Promise<RelayedResponse>} request  that came to the mounted door; can be cancelled
 * @property {(params: { stream: string, isWanted: boolean }) => Promise<{ value: any, done: boolean }>} chunk  the next one of an answer that goes on; not wanted:
 *   it ends there
 *
 * @property {(params: {}) => void} stop
 */

/**
 * What the main thread reads from the observer.
 *
 * @typedef {object} ObserverReadings
 *
 * @property {(about: {}) => Promise<Stall[]>} stalls  the last ones, newest first
 * @property {(about: {}) => Promise<SlowRequest[]>} slowRequests  worst first
 * @property {(about: {}) => Promise<Pick<SyncCalls, 'sampled' | 'pool'>>} syncCalls  up to now: the open window is ended for it
 * @property {(about: {}) => Promise<Mark[]>} marks  the last ones, oldest first
 * @property {(about: {}) => Promise<Counts>} counts  for the metrics
 * @property {(about: { application: number }) => Promise<Findings>} findings  of it, now
 * @property {(about: { frames: CallFrame[] }) => Promise<(CallFrame | null)[]>} originalFrames  with positions in the original source; null: not known yet
 * @property {(about: { url: string }) => Promise<DebuggerStatus>} debuggerStatus  at the open inspector
 */

/**
 * From the observer to the main thread, which may be stuck: what it is told waits there, what it is asked has a time limit
 * (link/main-client.js).
 *
 * @typedef {object} ToMain
 *
 * @property {(params: { sessionError: string | null }) => void} ready  it watches; why it has no inspector session
 * @property {(params: { isAway: boolean }) => void} session  its inspector session is disconnected for a while, or there again
 * @property {(params: {}) => void} rotate  the open window is wanted
 * @property {(params: { error: { message: string, code?: string } }) => void} fault  of ours
 *
 * @property {(params: { application: number | null, level: 'info' | 'warn', fields: object, message: string }) => void} log  null: of the process
 *
 * @property {(question: Question<MainReadings>) => Promise<unknown>} readMain  by MainClient.read(), which has the type of the answer
 * @property {(params: {}) => Promise<void>} handOver  it sends what it has noted so far (requestNotes) before it answers
 * @property {(params: TakeOrder) => Promise<TakeFacts>} takeSnapshot  writes the heap to a file: the main thread stands still
 * @property {(params: { application: number, request: any, scope: string }) => Promise<boolean>} authorize
 */

/**
 * What the observer reads from the main thread.
 *
 * @typedef {object} MainReadings
 *
 * @property {(about: {}) => Promise<Pick<SyncCalls, 'totals' | 'exact' | 'startUp'>>} exactCalls
 * @property {(about: {}) => Promise<any>} memory
 * @property {(about: {}) => Promise<object>} report  Node's diagnostic report
 * @property {(about: { urls: string[] }) => Promise<(string | null)[]>} scriptMaps  source maps that only the process has, of the first of these scripts
 * @property {(about: { application: number }) => Promise<{ contentType: string, text: string }>} metrics
 * @property {(about: { application: number }) => Promise<{ contentType: string, text: string }>} openMetrics  the same, with exemplars
 * @property {(about: { application: number }) => Promise<ApplicationMetrics>} metricsReading  the same as data, for the sums of a group
 * @property {(about: { application: number }) => Promise<ProcessReading>} processReading  for findings
 * @property {(about: { application: number, question: { needsHeap: boolean } }) => Promise<LoopCounts>} loopCounts  for rules
 */

/**
 * Whether each message of a table is told, which has no answer, or asked.
 * @template Messages
 * @typedef {{ readonly [Name in keyof Messages]: Messages[Name] extends (params: any) => Promise<any> ? 'ask' : 'tell' }} MessageKinds
 */

/** @type {MessageKinds<ToObserver>} */
const TO_OBSERVER = Object.freeze({
  recording: 'tell',
  window: 'tell',
  requestNotes: 'tell',
  speedUp: 'tell',
  stall: 'ask',
  stallSubject: 'tell',
  readObserver: 'ask',
  keepMark: 'tell',
  capture: 'ask',
  captureSkipped: 'tell',
  prepareStore: 'ask',
  watchLimit: 'ask',
  openEgress: 'ask',
  renewClock: 'ask',
  openApplication: 'ask',
  closeApplication: 'tell',
  request: 'ask',
  chunk: 'ask',
  stop: 'tell'
})

/** @type {MessageKinds<ToMain>} */
const TO_MAIN = Object.freeze({
  ready: 'tell',
  session: 'tell',
  rotate: 'tell',
  fault: 'tell',
  log: 'tell',
  readMain: 'ask',
  handOver: 'ask',
  takeSnapshot: 'ask',
  authorize: 'ask'
})

module.exports = { TO_MAIN, TO_OBSERVER }
