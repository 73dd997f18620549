'use strict'

// Keeps where sampled requests waited, and adds it up by route and line. The application's thread sends stacks and times; here they are mapped to the
// original source, divided among the lines, and the time in line for the loop is taken off.

const { sum, sumToTenths } = require('../../base/sums')
const { unattended } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { MAX_AGE_MICROS, SETTLED_MICROS } = require('../slow-requests/slow-requests')
const { toMs } = require('../slow-requests/timeline')
const { placesOf, readAwaitStack, readSettled } = require('./await-stacks')
const { MAX_LINES, rounded, sumRoutes, totalOf } = require('./sum-waits')

/** @import { RouteWaits, WaitPlace, WaitedAt, Waits } from '../../../types/waits' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { MainClient } from '../../link/main-client' */
/** @import { AwaitBatch, AwaitFrame, SampleFacts } from '../../probe/waits/await-sample' */
/** @import { SourceMaps } from '../../source-maps/source-maps' */
/** @import { SlowRequests } from '../slow-requests/slow-requests' */
/** @import { LineTime } from './attribute-waits' */
/** @import { AwaitStack, SettledBy } from './await-stacks' */

// The routes' last requests, and all: a few kilobytes each.
const MAX_OF_ROUTE = 200
const MAX_KEPT = 1000
const MAX_STACKS = 2000
const MAX_SPANS = 20
const MAX_MAPPING_MS = 3000
const SWITCH_MS = 5000 // who waits for seconds of sampling has time for a loop that is blocked when it begins or ends
/** @type {ReadonlySet<number>} */
const NONE = new Set()
// Source maps are read once the machine has CPU time to spare, after half a minute in any case. For longer there is no record of what the loop did.
const MAX_UNMAPPED_MICROS = 45e6

/**
 * @typedef {SampleFacts & { stacks: string[] }} Pending  its times are not explained yet
 *
 * @typedef {WaitedAt & { key: string, callers: WaitPlace[], spans: number[], behindMs: number, behind: number[], isOpen: boolean }} Line  spans: begins and ends, of the first
 *   20 waits; isOpen: the request was not answered, and waited here in the end; behindMs: until code of other requests had ended, which began at `behind`
 *
 * @typedef {{ line: WaitedAt, spans: number[] }} LineSpans  of one request
 *
 * @typedef {object} Kept
 * @property {string} route
 * @property {number} startMicros
 * @property {number} toMicros
 * @property {boolean} isOpen
 * @property {boolean} isTruncated
 * @property {number} waitingMs
 * @property {number} clientMs
 * @property {number} uploadMs
 * @property {Line[]} lines
 * @property {(WaitPlace & { key: string, count: number, ms: number })[]} serial
 */

class WaitProfile {
  #appRoot
  #sourceMaps
  #explain
  #busySince
  /** @type {Pending[]} */
  #pending = []
  /** Oldest first. @type {Map<string, Kept[]>} */
  #byRoute = new Map()
  #count = 0
  /** @type {Map<string, AwaitStack>} */
  #stacks = new Map()
  /** @type {Map<string, SettledBy | null>} */
  #settled = new Map()

  /**
   * @param {object} parts
   * @param {string} parts.appRoot
   * @param {Pick<SourceMaps, 'frames' | 'known' | 'isKnown'>} parts.sourceMaps
   * @param {Pick<SlowRequests, 'explain' | 'busySince'>} parts.slowRequests  what the loop did during these requests
   */
  constructor ({ appRoot, sourceMaps, slowRequests: { explain, busySince } }) {
    this.#appRoot = appRoot
    this.#sourceMaps = sourceMaps
    this.#explain = explain
    this.#busySince = busySince
  }

  /** @param {AwaitBatch} batch */
  add ({ stacks, samples }) {
    if (samples.length === 0) return
    const fresh = stacks.filter(text => !this.#stacks.has(text))
    // Their source maps are read before they are needed.
    if (fresh.length > 0) unattended(this.#sourceMaps.frames(positionsOf(fresh)))
    for (const sample of samples) this.#pending.push({ ...sample, stacks })
    this.#settle(monotonicMicros() - SETTLED_MICROS)
    if (this.#pending.length > MAX_KEPT) this.#settle(this.#pending[this.#pending.length - MAX_KEPT].toMicros, true)
  }

  /** @param {CpuProfile} window  its samples are explained */
  addWindow (window) {
    this.#settle(window.endTime)
  }

  /**
   * @param {number} startMicros  of a request
   * @returns {LineSpans[] | null} where it waited, longest first; null: it was not sampled
   */
  linesOf (startMicros) {
    const pending = this.#pending.find(sample => sample.startMicros === startMicros)
    const kept = pending === undefined ? this.#all().find(sample => sample.startMicros === startMicros) : this.#read([pending])[0]
    if (kept === undefined) return null
    return kept.lines.toSorted((left, right) => totalOf(right) - totalOf(left)).slice(0, MAX_LINES).map(({ key, callers, spans, behindMs, behind, isOpen, ...line }) => ({ line, spans }))
  }

  /** Waits until the positions of everything so far are mapped, and adds it. */
  async settleNow () {
    const texts = [...new Set(this.#pending.flatMap(({ stacks }) => stacks))].filter(text => !this.#stacks.has(text))
    await this.#sourceMaps.frames(positionsOf(texts), { maxMs: MAX_MAPPING_MS, isAsked: true })
    this.#settle(Infinity, true)
  }

  /**
   * @param {object} [wanted]
   * @param {number} [wanted.fromMicros]  requests that ended then or later
   * @param {number} [wanted.begunMicros]  requests that began then or later
   * @param {ReadonlySet<number>} [wanted.underWay]  and those that began at these times and were not answered when they were sampled
   * @param {string} [wanted.route]
   * @param {boolean} [wanted.areOpen]  only requests that were not answered
   * @returns {{ sampled: number, routes: RouteWaits[] }}
   */
  read ({ fromMicros = monotonicMicros() - MAX_AGE_MICROS, begunMicros = 0, underWay = NONE, route: only, areOpen = false } = {}) {
    this.#settle(monotonicMicros() - SETTLED_MICROS)
    const isMeant = (/** @type {Kept} */ { startMicros, toMicros, isOpen }) => {
      return toMicros >= fromMicros && (startMicros >= begunMicros || (isOpen && underWay.has(startMicros))) && (isOpen || !areOpen)
    }
    const recent = [...this.#byRoute]
      .map(([route, all]) => ({ route, samples: all.filter(isMeant) }))
      .filter(({ samples }) => samples.length > 0)
    return {
      sampled: sum(recent, ({ samples }) => samples.length),
      routes: sumRoutes(recent.filter(({ route }) => only === undefined || route === only))
    }
  }

  /**
   * @param {number} micros  everything until then is explained
   * @param {boolean} [isFinal]  also what has no original positions yet
   */
  #settle (micros, isFinal = false) {
    const unmappedMicros = isFinal ? Infinity : monotonicMicros() - MAX_UNMAPPED_MICROS
    const settled = this.#pending.filter(sample => sample.toMicros <= micros && (sample.toMicros <= unmappedMicros || this.#isMapped(sample)))
    if (settled.length === 0) return
    const taken = new Set(settled)
    this.#pending = this.#pending.filter(sample => !taken.has(sample))
    for (const kept of this.#read(settled)) this.#keep(kept)
  }

  /** @param {Pending} sample */
  #isMapped ({ waits, stacks }) {
    const unread = waits.flatMap(([stack, made]) => [stack, made]).filter(index => index !== -1 && !this.#stacks.has(stacks[index]))
    return this.#sourceMaps.isKnown({ frames: positionsOf([...new Set(unread)].map(index => stacks[index])) })
  }

  /** @param {Kept} kept */
  #keep (kept) {
    const all = this.#byRoute.get(kept.route) ?? []
    this.#byRoute.set(kept.route, all)
    all.push(kept)
    this.#count++
    const oldMicros = kept.toMicros - MAX_AGE_MICROS
    for (const [route, samples] of this.#byRoute) {
      while (samples.length > 0 && samples[0].toMicros < oldMicros) this.#drop(route, samples, 0)
      if (samples.length > MAX_OF_ROUTE) this.#drop(route, samples, leastWanted(samples))
    }
    while (this.#count > MAX_KEPT) {
      const [route, samples] = [...this.#byRoute].reduce((most, other) => other[1].length > most[1].length ? other : most)
      this.#drop(route, samples, leastWanted(samples))
    }
  }

  /** @param {string} route @param {Kept[]} samples @param {number} index */
  #drop (route, samples, index) {
    samples.splice(index, 1)
    this.#count--
    if (samples.length === 0) this.#byRoute.delete(route)
  }

  #all () {
    return [...this.#byRoute.values()].flat()
  }

  /** @param {Pending[]} pending @returns {Kept[]} */
  #read (pending) {
    if (pending.length === 0) return []
    const { attributeWaits } = require('./attribute-waits') // loaded with the first sampled request
    const subjects = pending.map(sample => {
      const { lines, serial } = attributeWaits(this.#waitsOf(sample), sample)
      const waits = lines.map(({ spans, count }, index) => [index, count, 0, lengthOf(spans), ...spans])
      return { sample, lines, serial, route: sample.route, fromMicros: sample.startMicros, startMicros: sample.startMicros, toMicros: sample.toMicros, waits }
    })
    const timelines = this.#explain(subjects)
    const busySince = this.#busySince(Math.min(...subjects.map(({ startMicros }) => startMicros)))
    return subjects.map(subject => {
      const { sample: { route, startMicros, toMicros, isOpen, truncatedMicros, clientMicros, uploadMicros }, lines, serial } = subject
      const { waits, waitingMs } = /** @type {import('../slow-requests/timeline').Timeline} */ (timelines.get(subject))
      const found = lines.map(line => toLine(line, busySince, isOpen ? toMicros : NaN)).filter(line => totalOf(line) > 0)
      const unseenMs = Math.max(0, waitingMs - sumToTenths(waits, ({ ms }) => ms))
      const inRow = serial.map(({ frame: { key, place }, count, micros }) => ({ key, ...place, count, ms: toMs(micros) }))
      return { route, startMicros, toMicros, isOpen, isTruncated: truncatedMicros !== 0, waitingMs: rounded(unseenMs + sumToTenths(found, totalOf)), clientMs: toMs(clientMicros), uploadMs: toMs(uploadMicros), lines: found, serial: inRow }
    })
  }

  /** @param {Pending} sample */
  #waitsOf ({ waits, stacks }) {
    return waits.filter(([stack]) => stack !== -1).map(([stack, made, fromMicros, toMicros, resource, settled, isByOther, sinceMicros, byMicros, isShared]) => ({
      stack: this.#stackOf(stacks[stack]),
      made: made === -1 ? null : this.#stackOf(stacks[made]),
      fromMicros,
      toMicros,
      resource,
      settled: settled === -1 ? undefined : this.#settledBy(stacks[settled], isByOther),
      isByOther: isByOther === 1,
      sinceMicros,
      byMicros,
      isShared: isShared === 1
    }))
  }

  /** @param {string} text */
  #stackOf (text) {
    return this.#readStack(this.#stacks, text, text, readAwaitStack)
  }

  /** @param {string} text @param {0 | 1} isByOther */
  #settledBy (text, isByOther) {
    return this.#readStack(this.#settled, `${isByOther}${text}`, text, (frames, context) => readSettled(frames, context, isByOther === 1))
  }

  /**
   * @template T
   * @param {Map<string, T>} known
   * @param {string} key
   * @param {string} text
   * @param {(frames: AwaitFrame[], context: Parameters<typeof readAwaitStack>[1]) => T} read
   * @returns {T}
   */
  #readStack (known, key, text, read) {
    const found = known.get(key)
    if (found !== undefined) return found
    /** @type {AwaitFrame[]} */
    const frames = JSON.parse(text)
    const stack = read(frames, { appRoot: this.#appRoot, toOriginal: places => this.#sourceMaps.known(places) })
    if (!this.#sourceMaps.isKnown({ frames: placesOf(frames) })) return stack
    if (known.size === MAX_STACKS) known.clear()
    known.set(key, stack)
    return stack
  }
}

/**
 * Few requests hang, and where they do is asked for once they have done so for a while: by then many others were answered.
 * @param {Kept[]} samples
 */
function leastWanted (samples) {
  const answered = samples.findIndex(({ isOpen }) => !isOpen)
  return answered > samples.length / 2 ? 0 : Math.max(0, answered)
}

/** @param {string[]} texts */
function positionsOf (texts) {
  return texts.flatMap(text => placesOf(JSON.parse(text)))
}

/**
 * What was awaited may have been ready while the loop was busy, without a pause, right until the function went on: that is standing in line. With what
 * else it was busy during a wait does not matter.
 * @param {LineTime} line
 * @param {(micros: number) => number} busySince
 * @param {number} openMicros  until when a request was followed that was not answered; NaN of others
 * @returns {Line}
 */
function toLine ({ app: [{ key, place }, ...callers], awaited, via, resumedBy, calledAt, longest, together, poolMicros, turnMicros, sharedMicros, behindMicros, behind, count, spans, ended }, busySince, openMicros) {
  const queuedMicros = lengthOf(ended.map((micros, index) => index % 2 === 1 ? micros : Math.max(micros, busySince(ended[index + 1]))))
  const queuedMs = toMs(queuedMicros)
  return {
    key: `${key} ${place.line}`,
    ...place,
    callers: callers.map(({ place }) => place),
    awaited,
    via,
    resumedBy,
    calledAt,
    longest,
    together,
    waits: count,
    ms: rounded(toMs(lengthOf(spans)) - queuedMs),
    queuedMs,
    poolMs: toMs(poolMicros),
    turnMs: toMs(turnMicros),
    sharedMs: toMs(sharedMicros),
    behindMs: toMs(behindMicros),
    behind,
    spans: spans.slice(0, 2 * MAX_SPANS),
    isOpen: spans[spans.length - 1] === openMicros
  }
}

/** @param {number[]} spans */
function lengthOf (spans) {
  return spans.reduce((all, micros, index) => all + (index % 2 === 0 ? -micros : micros), 0)
}

/**
 * Where requests waited: those of the last minutes that were sampled, or all from now on for some seconds.
 * @param {object} parts
 * @param {Pick<MainClient, 'handOver' | 'read'>} parts.main
 * @param {{ readNow (): Promise<boolean> }} parts.windowReading
 * @param {Pick<WaitProfile, 'read' | 'settleNow'>} parts.waitProfile
 * @param {{ seconds?: number, route?: string }} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<Waits>}
 */
async function readWaits ({ main, windowReading, waitProfile }, { seconds, route }, signal) {
  const begunMicros = monotonicMicros()
  const asked = seconds === undefined ? null : await main.read('sampleWaits', { seconds }, SWITCH_MS)
  if (seconds !== undefined) await require('node:timers/promises').setTimeout(seconds * 1e3, undefined, { signal })
  const ended = asked === null ? null : await main.read('sampledWaits', {}, SWITCH_MS)
  const isFresh = await main.handOver()
  await windowReading.readNow()
  await waitProfile.settleNow()
  const read = waitProfile.read(ended === null ? { route } : { begunMicros, underWay: new Set(ended.underWay), route })
  return { seconds: seconds ?? null, seen: ended?.seen ?? null, seesCallbacks: asked?.seesCallbacks ?? false, isStale: !isFresh, ...read }
}

module.exports = { readWaits, WaitProfile }
