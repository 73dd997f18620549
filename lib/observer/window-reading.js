'use strict'

// Processes each window of the recorder: adds the routes of its samples, and passes it on to be searched for synchronous calls and slow requests.
// New windows also start the stack probes.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../base/guard')
const { monotonicMicros } = require('../base/monotonic')
const { SingleFlight } = require('../base/single-flight')
const { FunctionRoutes } = require('./labels/function-routes')
const { FirstTurns, claimsOf, labelSamples, learnWindow } = require('./labels/label-samples')
const { ProbeScheduler } = require('./labels/probe-scheduler')
const { keysOfStack, linesOf } = require('./labels/function-keys')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../types/profile' */
/** @import { SharedState } from '../link/shared-state' */
/** @import { Notes, StackProbe, Work } from '../probe/request-notes' */
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
 * With each window the main thread sends whose code ran. From that, and from the handlers of new routes, it learns which route a function works for,
 * and labels the samples.
 */
class WindowReading {
  #parts
  #scheduler
  #reading = new SingleFlight({ take: () => this.#readNow(), restMs: () => MIN_BETWEEN_READINGS_MS })
  #functionRoutes = new FunctionRoutes()
  #firstTurns = new FirstTurns()
  /** In order of time. @type {Work[]} */
  #work = []
  /** @type {ProbedStack[]} */
  #seen = []
  /** Windows whose notes have not come yet. @type {CpuProfile[]} */
  #windows = []
  #toMicros = -Infinity
  /** Notes are processed one after the other. */
  #learning = Promise.resolve()

  /**
   * @param {object} parts
   * @param {SharedState} parts.state
   * @param {() => RecorderClient} parts.recorder  a function, since the recorder is created from this object
   * @param {Pick<SampledCalls, 'addWindow'>} parts.sampledCalls
   * @param {{ addWindow (window: CpuProfile): void }} parts.slowRequests
   * @param {{ addWindow (window: CpuProfile): void }} parts.waitProfile
   */
  constructor (parts) {
    const { state, recorder } = parts
    this.#parts = parts
    this.#scheduler = new ProbeScheduler({
      isBusy: () => recorder().canProbe && !state.isIdle && state.ownWorkMicros === 0,
      probe: () => recorder().probeStack()
    })
  }

  /** @param {CpuProfile} window  in order */
  addWindow (window) {
    this.#windows.push(window)
    if (this.#windows.length > MAX_WINDOWS) this.#passOn()
    this.#learnWindows()
    this.#scheduler.start()
  }

  speedUp () {
    this.#scheduler.start()
  }

  /** @param {Notes} notes  of the main thread, about the last window */
  addNotes (notes) {
    const learned = this.#learning.then(() => this.#learn(notes))
    unattended(learned)
    this.#learning = learned.catch(() => {}) // an error in these notes does not keep later ones from being learned
  }

  /** Processes what was sampled up to this moment. @returns {Promise<boolean>} false: the open window did not come in time */
  readNow () {
    return this.#reading.share()
  }

  /** @returns {Promise<boolean>} */
  async #readNow () {
    const recorder = this.#parts.recorder()
    if (!recorder.isRecording) return true
    const toMicros = monotonicMicros()
    recorder.rotate()
    const isKnown = await recorder.history.waitFor(toMicros, MAX_SAMPLES_WAIT_MS)
    await this.#settle()
    return isKnown
  }

  /** Passes on the waiting windows, after a short wait even without their notes: a caller waits for them. */
  async #settle () {
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
    return { ...profile, routes: labelSamples(profile, this.#functionRoutes, this.#work, this.#seen, this.#firstTurns) }
  }

  /** @param {ProfileNode[]} nodes  the root first @returns {Map<number, string>} the routes of those that work for one only, by id */
  routesOf (nodes) {
    const found = new Map()
    for (const [id, claim] of claimsOf({ nodes }, this.#functionRoutes)) {
      if (claim?.isEnough && claim.route >= 0) found.set(id, this.#functionRoutes.names[claim.route])
    }
    return found
  }

  /** @param {string} route @returns {CallFrame[]} its handlers, as far as their files are known */
  handlersOf (route) {
    return this.#functionRoutes.handlersOf(route)
  }

  /** @param {Notes} notes */
  async #learn (notes) {
    const { toMicros, work, probes, hasHandlers } = notes
    this.#firstTurns.add(notes)
    this.#work = this.#work.concat(work).sort((left, right) => left.fromMicros - right.fromMicros).slice(-MAX_WORK)
    const known = probes.filter(probe => this.#functionRoutes.addProbe(probe)).length
    this.#seen = this.#seen.concat(probes.flatMap(seenIn)).slice(-MAX_SEEN)
    if (probes.length > 0) this.#scheduler.adapt(known < probes.length * KNOWN_SHARE) // whether they show something new
    // The wait is short: the session may be disconnected.
    if (hasHandlers) await Promise.race([this.#learnHandlers(), sleep(MAX_LABELS_WAIT_MS)])
    this.#toMicros = toMicros
    this.#learnWindows()
  }

  async #learnHandlers () {
    for (const handler of await this.#parts.recorder().readHandlers().catch(() => [])) this.#functionRoutes.addHandler(handler)
  }

  #learnWindows () {
    while (this.#windows.length > 0 && this.#windows[0].endTime <= this.#toMicros) this.#passOn()
  }

  #passOn () {
    const window = /** @type {CpuProfile} */ (this.#windows.shift())
    learnWindow(window, this.#work, this.#functionRoutes)
    const labelled = { ...window, routes: labelSamples(window, this.#functionRoutes, this.#work, this.#seen, this.#firstTurns) }
    const { state, sampledCalls, slowRequests, waitProfile } = this.#parts
    state.addSampledTime(sampledCalls.addWindow(labelled))
    slowRequests.addWindow(labelled)
    waitProfile.addWindow(labelled)
  }
}

/** @param {StackProbe} probe @returns {ProbedStack[]} empty if the probe found no code of a request */
function seenIn ({ atMicros, route, calls }) {
  const lines = linesOf(keysOfStack(calls)).reverse()
  return route === null || lines.length === 0 ? [] : [{ atMicros, route, lines }]
}

module.exports = { WindowReading }
