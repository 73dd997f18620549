'use strict'

// Maps generated code to original code: cached positions are returned at once; for new ones a thread reads the source maps, and the caller waits only
// as long as it can. Positions that are not mapped by then are shown as generated code, and corrected later.

const { setTimeout: sleep } = require('node:timers/promises')
const { AbortController, Promise } = require('../base/globals')
const { guarded, unattended } = require('../base/guard')
const { monotonicMs } = require('../base/monotonic')
const { setTimeout } = require('../base/timers')
const { MAX_WRITTEN_COLUMN, describeFile } = require('../formats/profile/frame')
const { heapPlacesOf, mapFrame, mapHeapProfile, mapProfile, placeOf, placesOf } = require('./map-profile')
const { MapThread } = require('./map-thread')
const { OriginalPositions } = require('./original-positions')

/** @import { CallFrame, CpuProfile } from '../../types/profile' */
/** @import { HeapSampling } from '../formats/profile/heap-tree' */
/** @import { Answer, Place, Question, Script } from './answer' */

/** @typedef {{ url: string, place: Place }} Wanted */

/**
 * @typedef {object} Asking
 * @property {number} [maxMs]  to wait
 * @property {boolean} [isAsked]  a caller is waiting for it, so it does not wait for spare CPU time, nor does what others wait for: it may be shown
 *   beside it
 */

const MAX_WAIT_MS = 10_000 // for a caller that requested a profile
const RETRY_MS = 1000
const MAX_WANTED = 50_000

class SourceMaps {
  #parts
  #thread
  #ask
  #known = new OriginalPositions()
  /** What is to be read next, for all callers together. @type {Wanted[]} */
  #wanted = []
  /** What those wait for. @type {{ promise: Promise<void>, resolve: () => void } | null} */
  #next = null
  /** Since when. */
  #sinceMs = 0
  #isAsked = false
  /** One question at a time: each takes memory. */
  #isReading = false
  /** @type {NodeJS.Timeout | undefined} */
  #retry

  /**
   * @param {object} parts
   * @param {boolean} parts.isOn
   * @param {string} parts.appRoot
   * @param {string} [parts.observerFile]  option
   * @param {(problem: string) => void} parts.onProblem  why a map of the application's own code cannot be used
   * @param {(about: { isRead: boolean, waitedMs: number }) => boolean} [parts.mayStart]  whether maps may be read now that no caller waits for;
   *   isRead: they have been, and are kept
   * @param {(cpuMs: number) => void} [parts.onCpu]  CPU time that reading them took
   * @param {() => Promise<void>} [parts.onLearned]  more is known: corrects what was shown without it, before callers go on; never rejects
   * @param {(urls: string[]) => Promise<(string | null)[]>} [parts.askProcess]  for maps that are in no file, of the first of these scripts; rejects
   *   where it cannot be asked now
   * @param {(question: Pick<Question, 'scripts' | 'appRoot'>) => Promise<Answer[]>} [parts.ask]
   */
  constructor (parts) {
    this.#parts = parts
    this.#thread = new MapThread(parts)
    this.#ask = parts.ask ?? this.#thread.ask
  }

  /** Of the thread that reads maps, to the system. */
  get threadPid () { return this.#thread.threadPid }

  /** @param {CpuProfile} profile @param {Asking} [asking] @returns {Promise<CpuProfile>} never rejects */
  async profile (profile, asking) {
    await this.#learn(placesOf(profile), asking)
    return mapProfile(profile, this.#known.lookUp)
  }

  /**
   * @template {Pick<HeapSampling, 'profile' | 'before'>} Sampling
   * @param {Sampling} sampling
   * @param {Asking} [asking]
   * @returns {Promise<Sampling>} of what is new since `before`, taken off already; never rejects
   */
  async heapSampling (sampling, asking) {
    const { subtract } = require('../formats/profile/heap-tree') // with it come the names and the times of call trees
    const profile = subtract(sampling)
    await this.#learn(heapPlacesOf(profile), asking)
    return { ...sampling, profile: mapHeapProfile(profile, this.#known.lookUp), before: null }
  }

  /** @param {readonly CallFrame[]} frames @param {Asking} [asking] @returns {Promise<CallFrame[]>} never rejects */
  async frames (frames, asking) {
    await this.#learn(framePlacesOf(frames), asking)
    return this.known(frames)
  }

  /**
   * @param {readonly CallFrame[]} frames
   * @returns {Promise<(CallFrame | null)[]>} null: its map was not read in time; never rejects
   */
  async framesIfKnown (frames) {
    const original = await this.frames(frames)
    return original.map((frame, index) => this.isKnown({ frames: [frames[index]] }) ? frame : null)
  }

  /** @param {readonly CallFrame[]} frames @returns {CallFrame[]} each the same one where nothing is known */
  known (frames) {
    return frames.map(frame => mapFrame(frame, this.#known.lookUp))
  }

  /**
   * @param {{ profile?: CpuProfile, frames?: readonly CallFrame[] }} shown
   * @returns {boolean} whether there is nothing more to be known of their places
   */
  isKnown ({ profile, frames = [] }) {
    const wanted = [...profile === undefined ? [] : placesOf(profile), ...framePlacesOf(frames)]
    return !this.#parts.isOn || this.#known.unknown(wanted.filter(isReadable)).length === 0
  }

  /** @param {Wanted[]} all @param {Asking} [asking] */
  async #learn (all, { maxMs = MAX_WAIT_MS, isAsked = false } = {}) {
    if (!this.#parts.isOn) return
    const wanted = all.filter(isReadable)
    const isWaiting = isAsked && this.#next !== null
    if (!isWaiting && this.#known.unknown(wanted).length === 0) return
    if (this.#wanted.length + wanted.length > MAX_WANTED) this.#wanted = [] // callers that still need them ask again
    this.#wanted = this.#wanted.concat(wanted)
    this.#isAsked ||= isAsked
    if (this.#next === null) this.#sinceMs = monotonicMs()
    const { promise } = this.#next ??= createPromise()
    // What has to wait for processor time is not waited for.
    if (!this.#isReading && !this.#mayRead()) return this.#tryLater()
    if (!this.#isReading) unattended(this.#readAll())
    const waiting = new AbortController()
    await Promise.race([promise, sleep(maxMs, undefined, { signal: waiting.signal }).catch(() => {})])
    waiting.abort()
  }

  #mayRead () {
    const { mayStart } = this.#parts
    if (this.#isAsked || mayStart === undefined) return true
    return mayStart({ isRead: this.#wanted.every(({ url }) => this.#thread.kept.has(url)), waitedMs: monotonicMs() - this.#sinceMs })
  }

  #tryLater () {
    this.#retry ??= setTimeout(guarded(() => {
      this.#retry = undefined
      if (this.#next === null || this.#isReading) return
      if (this.#mayRead()) unattended(this.#readAll())
      else this.#tryLater()
    }), RETRY_MS).unref()
  }

  async #readAll () {
    this.#isReading = true
    try {
      while (this.#next !== null && this.#mayRead()) {
        const { resolve } = this.#next
        const scripts = this.#known.unknown(this.#wanted) // fewer by now, perhaps
        this.#next = null
        this.#wanted = []
        this.#isAsked = false
        await this.#read(scripts)
        if (scripts.length > 0) await this.#parts.onLearned?.()
        resolve()
      }
    } finally {
      this.#isReading = false
      if (this.#next !== null) this.#tryLater()
    }
  }

  /** @param {Script[]} scripts */
  async #read (scripts) {
    if (scripts.length === 0) return
    try {
      const answers = await this.#ask({ scripts, appRoot: this.#parts.appRoot })
      /** @type {Script[]} */
      const inNoFile = []
      for (const [index, script] of scripts.entries()) {
        const { hasMap, problem } = answers[index]
        if (hasMap || problem !== null || this.#parts.askProcess === undefined || script.map !== undefined) this.#note(script, answers[index])
        else inNoFile.push(script)
      }
      await this.#readOfProcess(inNoFile)
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
   * Asks the process for maps that are in no file; where it cannot be asked now, nothing is noted, and they are asked for again.
   * @param {Script[]} scripts
   */
  async #readOfProcess (scripts) {
    if (scripts.length === 0) return
    const maps = await this.#parts.askProcess?.(scripts.map(({ url }) => url)).catch(() => []) ?? []
    if (maps.length === 0) return
    /** @type {Script[]} */
    const found = []
    for (const [index, map] of maps.entries()) {
      if (typeof map === 'string') found.push({ ...scripts[index], map })
      else this.#note(scripts[index], { hasMap: false, problem: null, places: [] })
    }
    await this.#read(found)
    await this.#readOfProcess(scripts.slice(maps.length))
  }

  /** @param {Script} script @param {Answer} answer */
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

/** @param {readonly CallFrame[]} frames */
function framePlacesOf (frames) {
  return frames.filter(({ url }) => url !== '').map(frame => ({ url: frame.url, place: placeOf(frame) }))
}

/** @returns {{ promise: Promise<void>, resolve: () => void }} */
function createPromise () {
  let resolve = () => {}
  const promise = /** @type {Promise<void>} */ (new Promise(_resolve => { resolve = _resolve }))
  return { promise, resolve }
}

/** @param {Wanted} wanted */
function isReadable ({ url, place }) {
  return !/^(node|wasm):/.test(url) && place.line >= 0
}

module.exports = { SourceMaps }
