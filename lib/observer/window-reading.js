'use strict'

// Processes each window of the recorder: adds the routes of its samples, and passes it on to be searched for synchronous calls and slow requests.
// New windows also start the stack probes.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../base/guard')
const { monotonicMicros } = require('../base/monotonic')
const { SingleFlight } = require('../base/single-flight')
const { FunctionRoutes } = require('./labels/function-routes')
const { claimsOf, labelSamples, learnWindow } = require('./labels/label-samples')
const { ProbeScheduler } = require('./labels/probe-scheduler')
const { keysOfStack, linesOf } = require('./labels/function-keys')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../types/profile' */
/** @import { SharedState } from '../link/shared-state' */
/** @import { Notes, StackProbe, Work } from '../probe/request-notes' */
/** @import { Handler } from './labels/function-routes' */
/** @import { ProbedStack } from './labels/label-samples' */
/** @import { RecorderClient } from './recorder/recorder-client' */
/** @import { SampledCalls } from './sync-calls/sampled-calls' */

const MAX_SAMPLES_WAIT_MS = 200 // for a caller that requests samples; after that it gets the earlier ones
const MIN_BETWEEN_READINGS_MS = 250 // limits repeated requests: each one ends a window
const MAX_LABELS_WAIT_MS = 300 // for a caller that requests a profile
const MAX_SETTLE_MS = 100 // the main thread's notes about a window come shortly after it
const MAX_WORK = 20_000 // the main thread notes what took a millisecond or more
const MAX_SEEN = 5000
const MAX_WINDOWS = 4 // waiting for the main thread's notes
const KNOWN_SHARE = 0.9 // of the probes: above this share they show little that is new

/**
 * @param {object} parts
 * @param {SharedState} parts.state
 * @param {() => RecorderClient} parts.recorder  a function, since the recorder is created from this object
 * @param {Pick<SampledCalls, 'addWindow'>} parts.sampledCalls
 * @param {{ addWindow (window: CpuProfile): void }} parts.slowRequests
 * @param {{ addWindow (window: CpuProfile): void }} parts.waitProfile
 */
function createWindowReading ({ state, recorder, sampledCalls, slowRequests, waitProfile }) {
  const scheduler = new ProbeScheduler({
    isBusy: () => recorder().canProbe && !state.isIdle && state.ownWorkMicros === 0,
    probe: () => recorder().probeStack()
  })
  const labeler = new Labeler({
    readHandlers: () => recorder().readHandlers(),
    onProbes: isNew => scheduler.adapt(isNew),
    onWindow: window => {
      state.addSampledTime(sampledCalls.addWindow(window))
      slowRequests.addWindow(window)
      waitProfile.addWindow(window)
    }
  })
  const reading = new SingleFlight({ take: readNow, restMs: () => MIN_BETWEEN_READINGS_MS })

  /** @returns {Promise<boolean>} */
  async function readNow () {
    if (!recorder().isRecording) return true
    const toMicros = monotonicMicros()
    recorder().rotate()
    const isKnown = await recorder().history.waitFor(toMicros, MAX_SAMPLES_WAIT_MS)
    await labeler.settle()
    return isKnown
  }

  return {
    /** @param {CpuProfile} window */
    addWindow (window) {
      labeler.addWindow(window)
      scheduler.start()
    },
    /** @param {Notes} notes  of the main thread, about the last window */
    addNotes: notes => labeler.addNotes(notes),
    /**
     * Processes what was sampled up to this moment.
     * @returns {Promise<boolean>} false: the open window did not come in time
     */
    readNow: () => reading.share(),
    /** @param {CpuProfile} profile */
    label: profile => labeler.label(profile),
    /** @param {ProfileNode[]} nodes  the root first @returns {Map<number, string>} the routes of those that work for one only, by id */
    routesOf: nodes => labeler.routesOf(nodes),
    /** @param {string} route @returns {CallFrame[]} its handlers, as far as their files are known */
    handlersOf: route => labeler.handlersOf(route),
    speedUp: () => scheduler.start()
  }
}

/**
 * Adds routes to the samples of profiles. With each window the main thread sends whose code ran. This class also requests the handlers of new
 * routes, and learns from the windows.
 */
class Labeler {
  #parts
  #functionRoutes = new FunctionRoutes()
  /** In order of time. @type {Work[]} */
  #work = []
  /** @type {ProbedStack[]} */
  #seen = []
  /** @type {CpuProfile[]} */
  #windows = []
  #toMicros = -Infinity
  /** Notes are processed one after the other. */
  #learning = Promise.resolve()

  /**
   * @param {object} parts
   * @param {() => Promise<Handler[]>} parts.readHandlers  of new routes; rejects when there is no session
   * @param {(isNew: boolean) => void} parts.onProbes  stack probes have come; isNew: they show something new
   * @param {(window: CpuProfile) => void} parts.onWindow  a window whose notes are complete, with its labels
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {CpuProfile} window  in order */
  addWindow (window) {
    this.#windows.push(window)
    if (this.#windows.length > MAX_WINDOWS) this.#passOn()
    this.#learnWindows()
  }

  /** @param {Notes} notes */
  addNotes (notes) {
    const learned = this.#learning.then(() => this.#learn(notes))
    unattended(learned)
    this.#learning = learned.catch(() => {}) // an error in these notes does not keep later ones from being learned
  }

  /** Passes on the waiting windows, after a short wait even without their notes: a caller waits for them. */
  async settle () {
    const deadline = AbortSignal.timeout(MAX_SETTLE_MS)
    while (this.#windows.length > 0 && !deadline.aborted) await sleep(2)
    while (this.#windows.length > 0) this.#passOn()
  }

  /**
   * @param {CpuProfile} profile  in order
   * @returns {Promise<CpuProfile>} the same profile, labelled; never rejects
   */
  async label (profile) {
    const deadline = AbortSignal.timeout(MAX_LABELS_WAIT_MS)
    while (this.#toMicros < profile.endTime && !deadline.aborted) await sleep(5)
    return { ...profile, routes: labelSamples(profile, this.#functionRoutes, this.#work, this.#seen) }
  }

  /**
   * @param {ProfileNode[]} nodes  the root first
   * @returns {Map<number, string>}
   */
  routesOf (nodes) {
    const found = new Map()
    for (const [id, claim] of claimsOf({ nodes }, this.#functionRoutes)) {
      if (claim?.isEnough && claim.route >= 0) found.set(id, this.#functionRoutes.names[claim.route])
    }
    return found
  }

  /** @param {string} route */
  handlersOf (route) {
    return this.#functionRoutes.handlersOf(route)
  }

  /** @param {Notes} notes */
  async #learn ({ toMicros, work, probes, hasHandlers }) {
    this.#work = this.#work.concat(work).sort((left, right) => left.fromMicros - right.fromMicros).slice(-MAX_WORK)
    const known = probes.filter(probe => this.#functionRoutes.addProbe(probe)).length
    this.#seen = this.#seen.concat(probes.flatMap(seenIn)).slice(-MAX_SEEN)
    if (probes.length > 0) this.#parts.onProbes(known < probes.length * KNOWN_SHARE)
    // The wait is short: the session may be disconnected.
    if (hasHandlers) await Promise.race([this.#learnHandlers(), sleep(MAX_LABELS_WAIT_MS)])
    this.#toMicros = toMicros
    this.#learnWindows()
  }

  async #learnHandlers () {
    for (const handler of await this.#parts.readHandlers().catch(() => [])) this.#functionRoutes.addHandler(handler)
  }

  #learnWindows () {
    while (this.#windows.length > 0 && this.#windows[0].endTime <= this.#toMicros) this.#passOn()
  }

  #passOn () {
    const window = /** @type {CpuProfile} */ (this.#windows.shift())
    learnWindow(window, this.#work, this.#functionRoutes)
    this.#parts.onWindow({ ...window, routes: labelSamples(window, this.#functionRoutes, this.#work, this.#seen) })
  }
}

/** @param {StackProbe} probe @returns {ProbedStack[]} empty if the probe found no code of a request */
function seenIn ({ atMicros, route, calls }) {
  const lines = linesOf(keysOfStack(calls)).reverse()
  return route === null || lines.length === 0 ? [] : [{ atMicros, route, lines }]
}

module.exports = { createWindowReading }
