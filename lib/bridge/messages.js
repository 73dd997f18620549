'use strict'

// What the threads say to each other: the table of messages. Each has a name, a direction, what it carries and, where it is asked, what
// is answered. Both ends are held to it by the compiler, and pass their messages through channel.js.
//
// To add one: its signature in ToObserver or ToMain, its row in the table of that name, and its handler at the other end: in
// observer/thread.js, or where main/instruments.js puts those of the main thread together.

/** @import { ArtifactFacts, DelaySummary, Stall, SyncCalls } from '../../types/diagnostics' */
/** @import { CpuProfile } from '../../types/profile' */
/** @import { Opened } from '../main/admin/applications' */
/** @import { AdminEvent } from '../main/admin/request-counts' */
/** @import { CapturedEvent } from '../main/captures/capture-counts' */
/** @import { TakeFacts, TakeOrder } from '../main/heap/take-snapshot' */
/** @import { Work } from '../main/http/work-log' */
/** @import { LateTick } from '../main/loop/heartbeat' */
/** @import { Explanation } from '../main/stalls/stall-reporting' */
/** @import { AdminSite } from '../observer/admin/admin' */
/** @import { Order, Place } from '../observer/captures/captures' */
/** @import { LimitOrder } from '../observer/heap/near-limit' */
/** @import { Adopted } from '../observer/heap/snapshot/leftovers' */
/** @import { Seen } from '../observer/recorder/debugger-detector' */
/** @import { SampledReading } from '../observer/sync-calls/sampled-table' */
/** @import { Head, RelayedRequest } from './relay' */

/**
 * From the main thread to the observer.
 *
 * @typedef {object} ToObserver
 *
 * @property {(about: { on: boolean, reason: string }) => void} recording  whether windows come from now on, and if not why
 * @property {(about: { window: CpuProfile }) => void} window  one that has ended, of an engine whose windows the session does not bring
 * @property {(about: { work: Work[] }) => void} work  whose requests ran in the window that has just ended
 * @property {(about: {}) => void} speedUp  there is work: watch closely
 * @property {(about: { url: string }) => Promise<Seen>} lookForDebugger  at the open inspector
 *
 * @property {(about: { stall: LateTick & { id: number } }) => Promise<Explanation>} explainStall
 * @property {(about: { stall: Stall }) => void} keepStall  the whole report, for those who ask while the main thread is stuck
 *
 * @property {(about: { order: Order }) => Promise<ArtifactFacts>} capture  can be cancelled
 * @property {(about: { place: Place }) => Promise<void>} prepareStore  rejects when captures could not be written there
 * @property {(about: { order: LimitOrder }) => Promise<Adopted[]>} watchLimit  of the heap; what dead processes left
 *
 * @property {(about: { clock: number, buffer: SharedArrayBuffer, resolutionMs: number }) => Promise<void>} keepClock
 * @property {(about: { clock: number }) => void} releaseClock
 *
 * @property {(about: { site: AdminSite }) => Promise<Opened>} openSite  an application's admin surface
 * @property {(about: { site: number }) => void} closeSite
 * @property {(about: RelayedRequest) => Promise<{ head: Head, stream: string | null }>} request  that came to the mounted door; can be cancelled
 * @property {(about: { stream: string }) => Promise<{ value: any, done: boolean }>} nextChunk  of an answer that goes on
 * @property {(about: { stream: string }) => Promise<void>} endStream
 *
 * @property {(about: { reading: SampledReading }) => void} resumeSamples  what a lost observer had read
 * @property {(about: {}) => void} stop
 */

/**
 * From the observer to the main thread, which may be stuck: what it is told waits there, what it is asked has a time limit
 * (observer/main-thread/main-client.js).
 *
 * @typedef {object} ToMain
 *
 * @property {(about: { sessionError: string | null }) => void} ready  it watches; why it has no inspector session
 * @property {(about: { isAway: boolean }) => void} session  it let go of its inspector session, or has it again
 * @property {(about: {}) => void} rotate  the open window is wanted
 * @property {(about: { reading: SampledReading }) => void} syncSamples  synchronous calls read out of the windows so far
 * @property {(about: { waitedMs: number }) => void} poolQueued  a task of libuv's pool had to wait
 * @property {(about: { error: { message: string, code?: string } }) => void} fault  of ours
 *
 * @property {(about: { site: number, level: 'info' | 'warn', fields: object, message: string }) => void} log
 * @property {(about: { event: AdminEvent }) => void} counted  by the admin surface
 * @property {(about: { event: CapturedEvent }) => void} captured
 *
 * @property {(about: {}) => Promise<DelaySummary>} loop
 * @property {(about: {}) => Promise<SyncCalls>} syncCalls
 * @property {(about: {}) => Promise<any>} memory
 * @property {(about: TakeOrder) => Promise<TakeFacts>} takeSnapshot  writes the heap to a file: the main thread stands still
 * @property {(about: {}) => Promise<object>} report  Node's diagnostic report
 * @property {(about: { site: number }) => Promise<{ contentType: string, text: string }>} metrics
 * @property {(about: { site: number, request: any, scope: string }) => Promise<boolean>} authorize
 */

/**
 * Whether each message of a table is only told, or asked and answered.
 * @template Messages
 * @typedef {{ readonly [Name in keyof Messages]: Messages[Name] extends (about: any) => Promise<any> ? 'asked' : 'told' }} Manners
 */

/** @type {Manners<ToObserver>} */
const TO_OBSERVER = Object.freeze({
  recording: 'told',
  window: 'told',
  work: 'told',
  speedUp: 'told',
  lookForDebugger: 'asked',
  explainStall: 'asked',
  keepStall: 'told',
  capture: 'asked',
  prepareStore: 'asked',
  watchLimit: 'asked',
  keepClock: 'asked',
  releaseClock: 'told',
  openSite: 'asked',
  closeSite: 'told',
  request: 'asked',
  nextChunk: 'asked',
  endStream: 'asked',
  resumeSamples: 'told',
  stop: 'told'
})

/** @type {Manners<ToMain>} */
const TO_MAIN = Object.freeze({
  ready: 'told',
  session: 'told',
  rotate: 'told',
  syncSamples: 'told',
  poolQueued: 'told',
  fault: 'told',
  log: 'told',
  counted: 'told',
  captured: 'told',
  loop: 'asked',
  syncCalls: 'asked',
  memory: 'asked',
  takeSnapshot: 'asked',
  report: 'asked',
  metrics: 'asked',
  authorize: 'asked'
})

module.exports = { TO_MAIN, TO_OBSERVER }
