'use strict'

// Code as it was written: knows the places that were asked for before, has a thread read the source maps of those that are new, and
// waits for it only as long as the one who asks can. What is not known by then stays as it runs.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../base/guard')
const { MAX_WRITTEN_COLUMN, describeFile } = require('../formats/profile/frame')
const { subtract } = require('../formats/profile/heap-tree')
const { askThread } = require('./ask-thread')
const { heapPlacesOf, mapHeapProfile } = require('./map-heap-profile')
const { mapFrame, mapProfile, placeOf, placesOf } = require('./map-profile')
const { WrittenPlaces } = require('./written-places')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */
/** @import { HeapSampling } from '../formats/profile/heap-tree' */
/** @import { Answer, Place, Question, Script } from '../../analysis/source-maps/answer' */

/** @typedef {{ url: string, place: Place }} Wanted */

const MAX_WAIT_MS = 10_000 // of somebody who asked for a profile

/**
 * @param {object} parts
 * @param {boolean} parts.isOn
 * @param {string} parts.appRoot
 * @param {string} [parts.observerFile]  option
 * @param {(problem: string) => void} parts.onProblem  why a map of the application's own code cannot be used
 * @param {(question: Pick<Question, 'scripts' | 'appRoot'>) => Promise<Answer[]>} [parts.ask]
 */
function createSourceMaps (parts) {
  return new SourceMaps(parts)
}

class SourceMaps {
  #parts
  #ask
  #known = new WrittenPlaces()
  /** One question at a time: each takes memory. @type {Promise<void>} */
  #asking = Promise.resolve()

  /** @param {Parameters<typeof createSourceMaps>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#ask = parts.ask ?? (question => askThread(question, parts))
  }

  /**
   * @param {CpuProfile} profile
   * @param {number} [maxMs]  to wait
   * @returns {Promise<CpuProfile>} never rejects
   */
  async profile (profile, maxMs = MAX_WAIT_MS) {
    await this.#learn(placesOf(profile), maxMs)
    return mapProfile(profile, this.#known.lookUp)
  }

  /**
   * @template {Pick<HeapSampling, 'profile' | 'before'>} Sampling
   * @param {Sampling} sampling
   * @param {number} [maxMs]  to wait
   * @returns {Promise<Sampling>} of what is new since `before`, taken off already; never rejects
   */
  async heapSampling (sampling, maxMs = MAX_WAIT_MS) {
    const profile = subtract(sampling)
    await this.#learn(heapPlacesOf(profile), maxMs)
    return { ...sampling, profile: mapHeapProfile(profile, this.#known.lookUp), before: null }
  }

  /**
   * @param {readonly CallFrame[]} frames
   * @param {number} [maxMs]  to wait
   * @returns {Promise<CallFrame[]>} never rejects
   */
  async frames (frames, maxMs = MAX_WAIT_MS) {
    await this.#learn(frames.filter(({ url }) => url !== '').map(frame => ({ url: frame.url, place: placeOf(frame) })), maxMs)
    return this.known(frames)
  }

  /**
   * @param {readonly CallFrame[]} frames
   * @returns {CallFrame[]} each the same one where nothing is known
   */
  known (frames) {
    return frames.map(frame => mapFrame(frame, this.#known.lookUp))
  }

  /**
   * @param {Wanted[]} wanted
   * @param {number} maxMs
   */
  async #learn (wanted, maxMs) {
    if (!this.#parts.isOn) return
    const written = wanted.filter(({ url, place }) => !/^(node|wasm):/.test(url) && place.line >= 0)
    if (this.#known.unknown(written).length === 0) return
    const turn = this.#asking.then(() => this.#read(this.#known.unknown(written))) // fewer by then, perhaps
    this.#asking = turn
    unattended(turn)
    const waiting = new AbortController()
    await Promise.race([turn, sleep(maxMs, undefined, { signal: waiting.signal }).catch(() => {})])
    waiting.abort()
  }

  /** @param {Script[]} scripts */
  async #read (scripts) {
    if (scripts.length === 0) return
    try {
      const answers = await this.#ask({ scripts, appRoot: this.#parts.appRoot })
      for (const [index, script] of scripts.entries()) this.#note(script, answers[index])
    } catch {
      if (scripts.length > 1) {
        for (const script of scripts) await this.#read([script]) // one of them is to blame
        return
      }
      const problem = `the map of ${this.#show(scripts[0])} takes too much time or memory`
      this.#note(scripts[0], { hasMap: false, problem, places: [] })
    }
  }

  /**
   * @param {Script} script
   * @param {Answer} answer
   */
  #note (script, answer) {
    this.#known.add(script, answer)
    if (script.url.includes('/node_modules/')) return // packages often come without what they name
    const isBundle = !answer.hasMap && script.places.some(({ column }) => (column ?? 0) > MAX_WRITTEN_COLUMN)
    const problem = answer.problem ?? (isBundle ? `${this.#show(script)} is bundled and has no map` : null)
    if (problem !== null) this.#parts.onProblem(problem)
  }

  /** @param {Script} script */
  #show ({ url }) {
    return describeFile(url, this.#parts)
  }
}

module.exports = { createSourceMaps, SourceMaps }
