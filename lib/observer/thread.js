'use strict'

// The observer thread: what diagnostics.js and instruments.js are to the main thread, the place where its parts are made and
// wired. It parses, explains, encodes and writes, so that the main thread does not have to and need not be able to.

const { parentPort, workerData } = require('node:worker_threads')
const { SharedState } = require('../internal/shared-state')
const { toPlain } = require('../internal/errors')
const { createScheduler } = require('../loop/scheduler')
const { createEvidence } = require('../loop/evidence')
const { createStallWatch } = require('../loop/stall-watch')
const { createHistory } = require('../recorder/history')
const { createProfilerSession } = require('../recorder/session')
const { createViews } = require('../recorder/views')
const { createStallReports } = require('./stall-reports')

/** @import { CpuProfile } from '../../types/profile' */
/** @import { Order } from '../capture/captures' */
/** @import { ObserverSettings } from './observer' */

/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const port = /** @type {MessagePort} */ (parentPort)
const settings = /** @type {ObserverSettings} */ (workerData)
const state = new SharedState(settings.state)
const scheduler = createScheduler()
const evidence = createEvidence({ scheduler, state })
const history = createHistory({ keepMicros: settings.keepSeconds * 1e6 })
const session = createProfilerSession({ ...settings, onWindow: window => history.add(window) })

let hasSession = false
let isRecording = false
let whyNot = 'the recorder has not started yet'
/** @type {ReturnType<typeof import('../capture/captures').createCaptures> | undefined} */
let captures
/** Captures under way, by the main thread's request number. @type {Map<number, AbortController>} */
const underWay = new Map()

const cut = (/** @type {{ rotate: boolean }} */ options) => session.cut(options)
const watch = createStallWatch({
  state,
  periodMs: settings.heartbeatMs,
  stallThresholdMs: settings.stallThresholdMs,
  onWake: lateMs => evidence.note(lateMs),
  // Only a look, for the route: the window is ended when the stall is over, or for the report of one that lasts. Ending it
  // here as well would make every stall longer by that.
  onSuspicion: look,
  onStall: look,
  onReport: stuck => { reports.reportWhileStuck(stuck).catch(report) }
})
const reports = createStallReports({
  history,
  evidence,
  isRecording: () => isRecording,
  cut,
  isStill: stuck => watch.isStill(stuck),
  logNow,
  context: settings,
  thresholdMs: settings.stallThresholdMs
})
const views = createViews({
  history,
  keepSeconds: settings.keepSeconds,
  rotate: () => {
    if (hasSession) cut({ rotate: true }).catch(ignore)
    else port.postMessage({ type: 'rotate' })
  },
  unavailable: () => isRecording ? null : whyNot
})

/** @type {Record<string, (message: any) => void | Promise<void>>} */
const handlers = {
  recording ({ on, reason }) {
    isRecording = on
    whyNot = reason
  },
  window ({ window }) {
    history.add(/** @type {CpuProfile} */ (window))
  },
  stall ({ id, stall }) {
    return answer(id, () => reports.explain(stall))
  },
  async capture ({ id, order }) {
    const controller = new AbortController()
    underWay.set(id, controller)
    await answer(id, () => runCapture(order, controller.signal))
    underWay.delete(id)
  },
  cancel ({ id, reason }) {
    underWay.get(id)?.abort(reason)
  },
  prepare ({ id, place }) {
    return answer(id, () => storeAt(place).prepare())
  },
  stop () {
    release()
    scheduler.close()
    process.exit() // of this thread: captures and explanations under way wait on timers, up to five minutes
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
 * @param {AbortSignal} signal
 */
function runCapture (order, signal) {
  captures ??= require('../capture/captures').createCaptures({ instruments: { views }, storeAt })
  return captures.run(order, signal)
}

/** @type {Map<string, ReturnType<typeof import('../store/store').createStore>>} */
const stores = new Map()

/** @param {Pick<Order, 'dir' | 'retention'>} place */
function storeAt ({ dir, retention }) {
  const key = JSON.stringify([dir, retention])
  const store = stores.get(key) ?? require('../store/store').createStore({ dir, retention })
  stores.set(key, store)
  return store
}

/** @type {import('pino').Logger | undefined} */
let logger

/**
 * The main thread's logger cannot write while it is stuck; standard error can be written from here.
 * @param {object} fields
 * @param {string} message
 */
function logNow (fields, message) {
  const pino = require('pino')
  logger ??= pino({ name: 'loopscope' }, pino.destination({ dest: 2, sync: true }))
  logger.warn(fields, message)
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

port.on('message', message => {
  Promise.resolve(handlers[message.type](message)).catch(report)
})

state.releaseRequested().then(release, ignore)

function release () {
  session.close()
  state.confirmReleased()
}

async function begin () {
  if (!state.claimSession()) return
  // Also without windows of its own the session is worth having: it asks a stuck main thread for the route.
  const sessionError = await session.open().then(() => null, error => error.message)
  hasSession = sessionError === null
  if (!hasSession) release()
  watch.start()
  port.postMessage({ type: 'ready', sessionError })
}

begin().catch(report)
