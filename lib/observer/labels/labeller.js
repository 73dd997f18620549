'use strict'

// Gives the samples of profiles their routes, with all that is known by then, wired. It is told by the main thread, with each window, whose
// code ran; it asks where handlers begin; and it learns from the windows.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../../shared/base/guard')
const { createKnowledge } = require('./knowledge')
const { labelSamples } = require('./label-samples')
const { learnWindow } = require('./learn-window')
const { linesOf, placesOfStack } = require('./places')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Work } from '../../main/http/middleware' */
/** @import { Notes } from '../../main/labels/route-notes' */
/** @import { Look } from '../../main/labels/looks' */
/** @import { Handler } from './knowledge' */
/** @import { Seen } from './label-samples' */

const MAX_WORK = 20_000 // the main thread notes what took a millisecond or more
const MAX_SEEN = 5000
const MAX_WINDOWS = 4   // that wait for what the main thread tells of them
const MAX_WAIT_MS = 300 // of somebody who asks for a profile
const MAX_SETTLE_MS = 20 // of the main thread, which stands still meanwhile
const KNOWN_SHARE = 0.9 // of looks, from which on they tell little that is new

/**
 * @param {object} parts
 * @param {() => Promise<Handler[]>} parts.readHandlers  of new routes; rejects when there is no session
 * @param {(isNew: boolean) => void} parts.onLooks  looks have come, and told something new
 * @param {(window: CpuProfile) => void} parts.onWindow  one about which everything was told, with its labels
 */
function createLabeller (parts) {
  return new Labeller(parts)
}

class Labeller {
  #parts
  #knowledge = createKnowledge()
  /** In order of time. @type {Work[]} */
  #work = []
  /** @type {Seen[]} */
  #seen = []
  /** @type {CpuProfile[]} */
  #windows = []
  #toMicros = -Infinity
  /** One after the other. */
  #learning = Promise.resolve()

  /** @param {Parameters<typeof createLabeller>[0]} parts */
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
    this.#learning = learned.catch(() => {}) // what was wrong with these notes does not keep later ones from being learned
  }

  /** Passes on the windows that wait, with what is known now: somebody waits for them. */
  async settle () {
    await Promise.race([this.#learning, sleep(MAX_SETTLE_MS)])
    while (this.#windows.length > 0) this.#passOn()
  }

  /**
   * @param {CpuProfile} profile  in order
   * @returns {Promise<CpuProfile>} the same one, labelled; never rejects
   */
  async label (profile) {
    const deadline = AbortSignal.timeout(MAX_WAIT_MS)
    while (this.#toMicros < profile.endTime && !deadline.aborted) await sleep(5)
    return { ...profile, routes: labelSamples(profile, this.#knowledge, this.#work, this.#seen) }
  }

  /** @param {Notes} notes */
  async #learn ({ toMicros, work, looks, hasHandlers }) {
    this.#work = this.#work.concat(work).sort((left, right) => left.fromMicros - right.fromMicros).slice(-MAX_WORK)
    const known = looks.filter(look => this.#knowledge.addLook(look)).length
    this.#seen = this.#seen.concat(looks.flatMap(seenIn)).slice(-MAX_SEEN)
    if (looks.length > 0) this.#parts.onLooks(known < looks.length * KNOWN_SHARE)
    // It does not wait for long: a session may be disconnected meanwhile.
    if (hasHandlers) await Promise.race([this.#learnHandlers(), sleep(MAX_WAIT_MS)])
    this.#toMicros = toMicros
    this.#learnWindows()
  }

  async #learnHandlers () {
    for (const handler of await this.#parts.readHandlers().catch(() => [])) this.#knowledge.addHandler(handler)
  }

  #learnWindows () {
    while (this.#windows.length > 0 && this.#windows[0].endTime <= this.#toMicros) this.#passOn()
  }

  #passOn () {
    const window = /** @type {CpuProfile} */ (this.#windows.shift())
    learnWindow(window, this.#work, this.#knowledge)
    this.#parts.onWindow({ ...window, routes: labelSamples(window, this.#knowledge, this.#work, this.#seen) })
  }
}

/**
 * @param {Look} look
 * @returns {Seen[]} none where it found no code of a request
 */
function seenIn ({ atMicros, route, calls }) {
  const lines = linesOf(placesOfStack(calls)).reverse()
  return route === null || lines.length === 0 ? [] : [{ atMicros, route, lines }]
}

module.exports = { createLabeller }
