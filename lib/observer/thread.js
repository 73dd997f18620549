'use strict'

// The observer thread: what handle.js and instruments.js are to the main thread, the place where its parts are made and
// wired. It parses, explains, encodes and writes, so that the main thread does not have to and need not be able to.

const { parentPort, workerData } = require('node:worker_threads')
const { SharedState } = require('../bridge/shared-state')
const { toPlain } = require('../shared/base/errors')
const { guarded, hearFaults, unattended } = require('../shared/base/guard')
const { createSharedTurn } = require('../shared/base/shared-turn')
const { createScheduler } = require('../shared/system/scheduler')
const { createEvidence } = require('./stalls/evidence')
const { createStallWatch } = require('./stalls/stall-watch')
const { createHistory } = require('./recorder/history')
const { createProfilerSession } = require('./recorder/session')
const { createViews } = require('./recorder/views')
const { toCodeFrame } = require('../shared/formats/profile/frame')
const { syncCallSection } = require('./sync-calls/section')
const { createPoolProbe } = require('./sync-calls/pool-probe')
const { createClockKeeper } = require('./clock-keeper')
const { createDebuggerLook } = require('./recorder/debugger-look')
const { createLineCounts } = require('./stalls/line-counts')
const { createLoopSeries } = require('./stalls/loop-series')
const { createMainThread } = require('./main-thread/main-client')
const { createOwnWork } = require('./main-thread/own-work')
const { createSessionKeeper } = require('./recorder/session-keeper')
const { createStallRecords } = require('./stalls/stall-records')
const { createStallReports } = require('./stalls/stall-reports')
const { createSyncSamples } = require('./sync-calls/sync-samples')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { CpuProfile } from '../../types/profile' */
/** @import { Handles, Order, Place } from './captures/captures' */
/** @import { ObserverSettings } from '../main/observing/observer-client' */

/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const IMPATIENT_MS = 700
const ROTATION_REST_MS = 100

const port = /** @type {MessagePort} */ (parentPort)
const settings = /** @type {ObserverSettings} */ (workerData)
const state = new SharedState(settings.state)
const scheduler = createScheduler(settings)
const evidence = createEvidence({ scheduler, state })
const history = createHistory({ keepMicros: settings.keepSeconds * 1e6 })
const session = createProfilerSession({
  ...settings,
  onWindow: addWindow,
  onDisconnectAwaited: () => keeper.letGo(),
  onDebuggerAwaited: () => session.standAside().catch(ignore)
})
const keeper = createSessionKeeper({
  state,
  session,
  onAway: () => {
    hasSession = false
    heapSampler?.lose()
    port.postMessage({ type: 'session', isAway: true })
  },
  onBack: () => {
    hasSession = true
    port.postMessage({ type: 'session', isAway: false })
  }
})
/** @type {(method: string, params?: object) => Promise<any>} */
const post = (method, params) => keeper.post(method, params)
const syncSamples = createSyncSamples({ send: reading => port.postMessage({ type: 'syncSamples', reading }) })
const poolProbe = createPoolProbe({ onQueued: waitedMs => port.postMessage({ type: 'poolQueued', waitedMs }) })
const clockKeeper = createClockKeeper()
const records = createStallRecords()
const series = createLoopSeries({ state })
const debuggerLook = createDebuggerLook()
const ownWork = createOwnWork({ post, expression: settings.ownWorkExpression })
const mainThread = createMainThread({ send: message => port.postMessage(message) })

let hasSession = false
let isRecording = false
let whyNot = settings.hz === 0 ? 'option recorder is false' : 'the recorder has not started yet'
/** @type {ReturnType<typeof import('./captures/captures').createCaptures> | undefined} */
let captures
/** Captures under way, by the main thread's request number. @type {Map<number, AbortController>} */
const underWay = new Map()

const cut = (/** @type {{ rotate: boolean }} */ { rotate }) => session.cut({ rotate, seen: rotate ? debuggerLook.lookAgain() : undefined })
const watch = createStallWatch({
  state,
  stallThresholdMs: settings.stallThresholdMs,
  onWake: lateMs => evidence.note(lateMs),
  // Only a look, for the route: the window is ended when the stall is over, or for the report of one that lasts. Ending it
  // here as well would make every stall longer by that.
  onSuspicion: guarded(stuck => {
    look()
    return keeper.yieldToPauses(() => watch.isStill(stuck))
  }),
  onStall: look,
  onReport: guarded(stuck => reports.reportWhileStuck(stuck))
})
const reports = createStallReports({
  history,
  evidence,
  isRecording: () => isRecording,
  cut,
  isStill: stuck => watch.isStill(stuck),
  logNow,
  records,
  context: { ...settings, lineCountOf: createLineCounts(settings) },
  thresholdMs: settings.stallThresholdMs
})
// Readers of profiles are many; ending a window takes some of the main thread's time.
const rotation = createSharedTurn({ take: () => cut({ rotate: true }), restMs: () => ROTATION_REST_MS })
const viewing = {
  history,
  keepSeconds: settings.keepSeconds,
  rotate: () => {
    if (hasSession) rotation.share().catch(ignore)
    else port.postMessage({ type: 'rotate' })
  },
  unavailable: () => isRecording ? null : whyNot
}
const views = createViews(viewing)

/** @type {Record<string, (message: any) => void | Promise<void>>} */
const handlers = {
  recording ({ on, reason }) {
    isRecording = on
    whyNot = reason
  },
  window ({ window }) {
    addWindow(window)
  },
  lookForDebugger ({ id, url }) {
    return answer(id, () => debuggerLook.look(url))
  },
  hurry () {
    watch.hurry()
  },
  work ({ work }) {
    syncSamples.addWork(work)
  },
  keepClock ({ id, clock, buffer, resolutionMs }) {
    return answer(id, () => clockKeeper.keep(clock, buffer, resolutionMs))
  },
  releaseClock ({ clock }) {
    clockKeeper.release(clock)
  },
  stall ({ id, stall }) {
    return answer(id, () => reports.explain(stall))
  },
  async capture ({ id, order }) {
    const controller = new AbortController()
    underWay.set(id, controller)
    await answer(id, () => runCapture(order, { signal: controller.signal }))
    underWay.delete(id)
  },
  cancel ({ id, reason }) {
    underWay.get(id)?.abort(reason)
  },
  prepare ({ id, place }) {
    return answer(id, () => storeAt(place).prepare())
  },
  watchLimit ({ id, order }) {
    const watchLimit = () => require('./heap/near-limit').watchLimit(order, { store: storeAt(order.place), post, sampler: sampler(), logNow, report })
    return answer(id, watchLimit)
  },
  told (message) {
    mainThread.told(message)
  },
  stalled ({ stall }) {
    records.add(stall)
  },
  openSite ({ id, site }) {
    return answer(id, () => adminSurface().open(site))
  },
  closeSite ({ site }) {
    return adminSurface().close(site)
  },
  async adminRequest ({ id, ...message }) {
    const controller = new AbortController()
    underWay.set(id, controller)
    await answer(id, () => adminSurface().relay.request(message, controller.signal))
    underWay.delete(id)
  },
  adminChunk ({ id, stream }) {
    return answer(id, () => adminSurface().relay.chunk(stream))
  },
  adminEnd ({ id, stream }) {
    return answer(id, () => adminSurface().relay.end(stream))
  },
  async stop () {
    try {
      keeper.close()
      await admin?.closeAll()
      scheduler.close()
    } finally {
      process.exit() // of this thread: captures and explanations under way wait on timers, up to five minutes
    }
  },
  samples ({ reading }) {
    syncSamples.resume(reading)
  }
}

/**
 * @param {number} id
 * @param {() => unknown} work
 */
async function answer (id, work) {
  try {
    port.postMessage({ type: 'reply', id, value: await work() })
  } catch (error) {
    port.postMessage({ type: 'reply', id, error: toPlain(error) })
  }
}

/**
 * Encoders and the store are loaded with the first capture: a process that is never looked at does not pay for them.
 * @param {Order} order
 * @param {Handles} handles
 */
function runCapture (order, handles) {
  captures ??= require('./captures/captures').createCaptures({ instruments: { views, snapshots: makeSnapshots(), heapSampler: sampler(), heapHistogram: makeHistograms() }, storeAt, findings })
  return captures.run(order, handles)
}

function makeSnapshots () {
  return require('./heap/snapshot/snapshot-job').createSnapshots({
    askMain: order => mainThread.ask('takeSnapshot', order, Infinity), // as long as it takes: nobody else may ask meanwhile
    readMainMemory: maxMs => mainThread.ask('memory', undefined, maxMs)
  })
}

function makeHistograms () {
  return require('./heap/histogram').createHistograms({ post: ownWork.post, stoodStillMs: () => ownWork.totalMs })
}

/** @type {ReturnType<typeof import('./heap/sampler').createHeapSampler> | undefined} */
let heapSampler

/** One, as V8 has one. */
function sampler () {
  heapSampler ??= require('./heap/sampler').createHeapSampler({ post: ownWork.post, stoodStillMs: () => ownWork.totalMs })
  return heapSampler
}

/** @type {ReturnType<typeof import('./admin/admin').createAdmin> | undefined} */
let admin

/** Loaded with the first application that has one. */
function adminSurface () {
  admin ??= require('./admin/admin').createAdmin({
    settings,
    mainThread,
    records,
    series,
    // Who looks at the past on a page does not wait five seconds for the end of it.
    views: createViews({ ...viewing, impatientMs: IMPATIENT_MS }),
    capture: runCapture,
    storeAt,
    findings,
    comparisons: require('./heap/comparison-job').createComparisons(settings),
    heapSampler: sampler(),
    send: (/** @type {object} */ event) => port.postMessage({ type: 'admin', event })
  })
  return admin
}

/**
 * @param {CpuProfile} profile
 * @param {string} appRoot
 */
function findings (profile, appRoot) {
  const section = syncCallSection(profile, frame => toCodeFrame(frame, appRoot))
  return section === null ? [] : [section]
}

/** @type {Map<string, ReturnType<typeof import('./store/store').createStore>>} */
const stores = new Map()

/** @param {Place} place */
function storeAt ({ dir, retention, appName, appRoot }) {
  const key = JSON.stringify([dir, retention, appName, appRoot])
  const store = stores.get(key) ?? require('./store/store').createStore({ dir, retention, application: { appName, appRoot } })
  stores.set(key, store)
  return store
}

/** @type {Logger | undefined} */
let logger

/**
 * The main thread's logger cannot write while it is stuck; standard error can be written from here.
 * @param {object} fields
 * @param {string} message
 */
function logNow (fields, message) {
  const { makeLogger, STANDARD_ERROR } = require('../shared/default-logger')
  logger ??= makeLogger({ fd: STANDARD_ERROR, isSync: true })
  logger.warn(fields, message)
}

/** @param {CpuProfile} window */
function addWindow (window) {
  syncSamples.addWindow(history.add(window))
}

function look () {
  cut({ rotate: false }).catch(ignore)
}

/** A cut that fails is a session that closed, or a main thread that ended: there is nobody to tell. */
function ignore () {}

/** @param {unknown} error */
function report (error) {
  port.postMessage({ type: 'fault', error: toPlain(error) })
}

hearFaults(report)
port.on('message', guarded(message => handlers[message.type](message)))

/** As often as the main thread is about to end: it may go on after all. */
async function obeyReleases () {
  for (;;) {
    await state.releaseRequested()
    keeper.letGo()
    state.confirmReleased() // also where there is none any more
  }
}

async function openSession () {
  // Also without windows of its own the session is worth having: it asks a stuck main thread for the route.
  if (settings.hz === 0) return null
  const sessionError = await keeper.open().then(() => null, error => error.message)
  hasSession = sessionError === null
  return sessionError
}

async function begin () {
  unattended(obeyReleases())
  const sessionError = await openSession()
  watch.start()
  unattended(keeper.yieldToPauses(() => state.tickMicros === 0)) // before the first tick nothing seems stuck
  poolProbe.start()
  port.postMessage({ type: 'ready', sessionError })
}

unattended(begin())
