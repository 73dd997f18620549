'use strict'

// The table of messages between the threads. Each has a name, a direction, its parameters and, if it is of kind 'ask', its answer. The compiler
// checks both ends against it; channel.js passes the messages.
//
// To add one: its signature in ToObserver or ToMain, its row in the table of that name, and its handler at the other end: in
// observer/thread.js, or in probe/observer-handlers.js. A plain reading from the other end is not a message of its own, but a
// row of ObserverReadings or MainReadings, with its reader beside the handlers.

/** @import { CaptureKind, Mark, Stall, SyncCalls, Trigger } from '../../types/diagnostics' */
/** @import { Findings } from '../../types/findings' */
/** @import { CallFrame } from '../../types/profile' */
/** @import { RequestsInFlight } from '../../types/requests' */
/** @import { SlowRequest } from '../../types/slow-requests' */
/** @import { Waits } from '../../types/waits' */
/** @import { WhatIf, WhatIfOptions } from '../../types/what-if' */
/** @import { Opened } from '../probe/applications' */
/** @import { BufferReading } from '../probe/buffers/buffer-sites' */
/** @import { MainMemory } from '../probe/heap/memory-reading' */
/** @import { TakeFacts, TakeOrder } from '../probe/heap/take-snapshot' */
/** @import { InFlightReading } from '../probe/http/in-flight' */
/** @import { EndedWindow } from '../probe/recorder/engines' */
/** @import { Notes } from '../probe/request-notes' */
/** @import { AdminApplication } from '../observer/admin/admin' */
/** @import { CapturedFacts, Order, StoreLocation } from '../observer/captures' */
/** @import { EgressOrder } from '../observer/egress/egress' */
/** @import { LimitOrder } from '../observer/heap/near-limit' */
/** @import { ProcessMemory } from '../../types/memory' */
/** @import { MemoryLimitOrder } from '../observer/memory/limit-watch' */
/** @import { ClockRenewal } from '../shared/clock' */
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
 * @typedef {object} ObserverSettings  the observer's start settings
 * @property {SharedArrayBuffer} state
 * @property {number} stallThresholdMs
 * @property {number} keepSeconds
 * @property {number} hz
 * @property {boolean} isMainThread  whether the observed thread is the main thread
 * @property {number | null} threadPid  the system's id of that thread
 * @property {boolean} isInspectorForbidden  by the permission model, which loopscope's thread cannot query, or by another runtime
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
 * @property {(params: { on: boolean, reason: string }) => void} recording  whether windows come from now on, and why not
 * @property {(params: { window: EndedWindow }) => void} window  an ended window of an engine that does not use the session
 * @property {(params: { url: string | undefined }) => void} inspectorUrl  the port of the inspector is open there from now on, or closed
 * @property {(params: { notes: Notes }) => void} requestNotes  notes about requests, with each ended window and on request
 * @property {(params: {}) => void} speedUp  work has begun: probe at full rate
 *
 * @property {(params: { measured: MeasuredStall, subject: Subject | null }) => Promise<Stall | null>} stall  a stall that is over, to be explained
 *   and stored; subject null: it follows; answer null: a suspected stall is not confirmed
 * @property {(params: { id: number, subject: Subject }) => void} stallSubject  once the request was answered, or half a second later
 * @property {(params: {}) => void} explainNow  the application ends: the explanations under way wait for source maps no longer
 *
 * @property {(question: Question<ObserverReadings>) => Promise<unknown>} readObserver  through ObserverClient.read(), which has the type of the
 *   answer
 *
 * @property {(params: { mark: Mark }) => void} keepMark
 *
 * @property {(params: { order: Order }) => Promise<CapturedFacts>} capture  can be cancelled
 * @property {(params: { kind: CaptureKind, trigger: Trigger }) => void} captureSkipped  a capture was skipped because one of this kind is running
 * @property {(params: { location: StoreLocation }) => Promise<void>} prepareStore  rejects if captures cannot be written there
 * @property {(params: { order: LimitOrder }) => Promise<Adopted[]>} watchLimit  watches the heap limit; returns the files that dead processes left
 *
 * @property {(params: { order: MemoryLimitOrder }) => Promise<void>} watchMemory  writes a report before memory is full
 * @property {(params: { order: EgressOrder }) => Promise<void>} openEgress
 *
 * @property {(params: { clock: number, renewal: ClockRenewal | null }) => Promise<void>} renewClock  null: stop renewing
 *
 * @property {(params: { application: AdminApplication }) => Promise<Opened>} openApplication  opens its admin surface
 * @property {(params: { application: number, metrics: ApplicationMetrics | null }) => void} closeApplication  its counters, if they were reported to
 *   a group
 * @property {(params: RelayedRequest) => Promise<RelayedResponse>} request  that arrived at the mounted endpoint; can be cancelled
 * @property {(params: { stream: string, isWanted: boolean }) => Promise<{ value: any, done: boolean }>} chunk  the next one of a streamed answer; not
 *   wanted: the stream ends
 *
 * @property {(params: {}) => void} stop
 */

/**
 * The main thread's readings from the observer.
 *
 * @typedef {object} ObserverReadings
 *
 * @property {(about: {}) => Promise<Stall[]>} stalls  the last ones, newest first
 * @property {(about: {}) => Promise<SlowRequest[]>} slowRequests  worst first
 * @property {(about: {}) => Promise<RequestsInFlight>} requests  under way
 * @property {(about: { seconds?: number, route?: string }) => Promise<Waits>} waits  in the last minutes, or from now on
 * @property {(about: { sites?: boolean, seconds?: number }) => Promise<ProcessMemory | null>} ownMemory  null: it has not been read yet
 * @property {(about: {}) => Promise<Pick<SyncCalls, 'sampled' | 'pool'>>} syncCalls  up to now: it ends the open window
 * @property {(about: {}) => Promise<Mark[]>} marks  the last ones, oldest first
 * @property {(about: {}) => Promise<Counts>} counts  for the metrics
 * @property {(about: { application: number }) => Promise<Findings>} findings  of that application, now
 * @property {(about: { application: number, wanted: WhatIfOptions }) => Promise<WhatIf>} whatIf  that route were faster
 * @property {(about: { frames: CallFrame[] }) => Promise<(CallFrame | null)[]>} originalFrames  with positions in the original source; null: not
 *   available yet
 * @property {(about: { url: string }) => Promise<DebuggerStatus>} debuggerStatus  at the open inspector
 */

/**
 * From the observer to the main thread, which may be blocked: a 'tell' message waits there, an 'ask' message has a time limit (link/main-client.js).
 *
 * @typedef {object} ToMain
 *
 * @property {(params: { sessionError: string | null }) => void} ready  the observer is running; sessionError: why it has no inspector session
 * @property {(params: { isAway: boolean }) => void} session  its inspector session is temporarily disconnected, or connected again
 * @property {(params: {}) => void} rotate  the observer needs the open window
 * @property {(params: { error: { message: string, code?: string } }) => void} fault  an internal error
 *
 * @property {(params: { application: number | null, level: 'info' | 'warn', fields: object, message: string }) => void} log  application null: a line
 *   of the whole process
 *
 * @property {(question: Question<MainReadings>) => Promise<unknown>} readMain  through MainClient.read(), which has the type of the answer
 * @property {(params: {}) => Promise<void>} handOver  it sends its notes so far (requestNotes) before it answers
 * @property {(params: TakeOrder) => Promise<TakeFacts>} takeSnapshot  writes the heap to a file: the main thread is blocked meanwhile
 * @property {(params: { application: number, request: any, scope: string }) => Promise<boolean>} authorize
 */

/**
 * The observer's readings from the main thread.
 *
 * @typedef {object} MainReadings
 *
 * @property {(about: {}) => Promise<Pick<SyncCalls, 'totals' | 'exact' | 'startUp'>>} exactCalls
 * @property {(about: {}) => Promise<any>} memory
 * @property {(about: {}) => Promise<MainMemory>} memoryOwners
 * @property {(about: { seconds: number }) => Promise<{ isNew: boolean }>} armBuffers  samples where Buffers are created from now on; 0 ends it
 * @property {(about: { boundaries: number[] }) => Promise<BufferReading>} buffers  those that are alive, by the intervals in which they were created
 * @property {(about: {}) => Promise<object>} report  Node's diagnostic report
 * @property {(about: { seconds: number }) => Promise<{ seesCallbacks: boolean }>} sampleWaits  samples where all requests wait, from now on
 * @property {(about: {}) => Promise<{ seen: number, underWay: number[] }>} sampledWaits  ends that: what is in flight comes with the next notes. underWay: when the
 *   oldest of these requests began
 * @property {(about: {}) => Promise<InFlightReading>} requests  under way, where no inspector session can read them
 * @property {(about: { urls: string[] }) => Promise<(string | null)[]>} scriptMaps  source maps that only the process has, for the first of these
 *   scripts
 * @property {(about: { application: number }) => Promise<{ contentType: string, text: string }>} metrics
 * @property {(about: { application: number }) => Promise<{ contentType: string, text: string }>} openMetrics  likewise, with exemplars
 * @property {(about: { application: number }) => Promise<ApplicationMetrics>} metricsReading  likewise as data, for the sums of a group
 * @property {(about: { application: number }) => Promise<ProcessReading>} processReading  for findings
 * @property {(about: { application: number, question: { needsHeap: boolean } }) => Promise<LoopCounts>} loopCounts  for rules
 */

/**
 * Whether each message of a table is of kind 'tell' (no answer) or 'ask'.
 * @template Messages
 * @typedef {{ readonly [Name in keyof Messages]: Messages[Name] extends (params: any) => Promise<any> ? 'ask' : 'tell' }} MessageKinds
 */

/** @type {MessageKinds<ToObserver>} */
const TO_OBSERVER = Object.freeze({
  recording: 'tell',
  window: 'tell',
  inspectorUrl: 'tell',
  requestNotes: 'tell',
  speedUp: 'tell',
  stall: 'ask',
  stallSubject: 'tell',
  explainNow: 'tell',
  readObserver: 'ask',
  keepMark: 'tell',
  capture: 'ask',
  captureSkipped: 'tell',
  prepareStore: 'ask',
  watchLimit: 'ask',
  watchMemory: 'ask',
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
