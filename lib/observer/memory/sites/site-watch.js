'use strict'

// Finds out which code allocates what stays: samples allocations of the heap and Buffers for a bounded time, reads several times what is alive, and judges
// it by age. It is armed when memory grows, or on request; in between nothing is sampled. Its readings take at most a share of the main thread's time.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../../../base/guard')
const { monotonicMicros, monotonicMs } = require('../../../base/monotonic')
const { isInPackage, toCodeFrame } = require('../../../formats/profile/frame')
const { functionKey } = require('../../../formats/profile/heap-tree')
const { HeapSampler } = require('../../heap/sampler')
const { MAX_SAMPLED_BYTES, MAX_SAMPLED_SECONDS } = require('../growth')
const { MIN_INTERVALS, heapSitesOf, isKeptByCaller, judgeSurvival, packageOf } = require('./heap-sites')
const { withFiles } = require('./keeping-code')
const { handedOverAt, keptByPackage, keptLineOf, madeAt, onlyLineOf, wrappedAt } = require('./kept-line')
const { sum } = require('../../../base/sums')
const { createSourceLines } = require('../../stalls/culprit/source-lines')

/** @import { AllocationSite, AllocationSites, Growing } from '../../../../types/memory' */
/** @import { CodeFrame } from '../../../../types/diagnostics' */
/** @import { CallFrame, ProfileNode } from '../../../../types/profile' */
/** @import { MainClient } from '../../../link/main-client' */
/** @import { BufferReading, BufferSite } from '../../../probe/buffers/buffer-sites' */
/** @import { SamplingProfile } from '../../../formats/profile/heap-tree' */
/** @import { ThreadSession, ThreadSessions } from '../../threads/thread-sessions' */
/** @import { RawSite } from './heap-sites' */

const INTERVALS = 6
const FAST_SECONDS = 60
const AGAIN_MS = 3600_000 // while memory still grows
const AGAIN_FAST_MS = 600_000 // it may have been a warm-up before
const FILLING = Object.freeze({ share: 0.6, minSeconds: 5, maxSeconds: 60, maxReadShare: 0.1 }) // of the time until memory is full
// At most 3 % of the time: 0.7 % for V8's samples, 4 to 5 us each; 1.5 % for the readings; the rest for Buffers.
const HEAP_SAMPLES = Object.freeze({ minBytes: 32 * 1024, maxPerSecond: 1500 })
// Where memory grows outside the heap: the objects that hold it are small.
const HOLDER_SAMPLES = Object.freeze({ ...HEAP_SAMPLES, minBytes: 2 * 1024 })
const MAX_READ_SHARE = 0.015
const MAX_SITES = 40
const ANSWER_MS = 2000
const GRACE_SECONDS = 30
const MIN_SHOWN_SHARE = 0.01
const DEFAULT_SECONDS = 60

/**
 * @typedef {object} Sampled  one heap: of the main thread, or of a worker that grows
 * @property {string | null} thread
 * @property {Awaited<ReturnType<HeapSampler['refine']>>} sampling
 * @property {number[]} boundaries  the last ordinal of each interval; where it was not read at its end, estimated from those around
 * @property {SamplingProfile | null} profile  of the last reading
 *
 * @typedef {Pick<import('../../stalls/culprit/source-lines').SourceLines, 'read'>} Source
 *
 * @typedef {(sites: AllocationSites) => boolean} GoesOn
 *
 * @typedef {object} Run
 * @property {'growth' | 'asked'} reason
 * @property {boolean} isUrgent
 * @property {number} fromMs
 * @property {number} fromMicros
 * @property {number} lastMs  the start, or the end of the last interval
 * @property {number[]} endMicros  of the intervals
 * @property {number[]} seconds    of the intervals
 * @property {Sampled[]} heaps
 * @property {BufferReading | null} buffers
 * @property {number | null} buffersBefore
 * @property {boolean} hasBuffers
 * @property {Set<string>} notes
 * @property {number} readMs
 */

class SiteWatch {
  #parts
  #source
  #now
  /** @type {AllocationSites | null} */
  #last = null
  /** @type {Promise<AllocationSites> | undefined} */
  #running
  /** When it armed itself last, by the reason, and by what grew. @type {Map<string, number>} */
  #lastMs = new Map()

  /**
   * @param {object} parts
   * @param {() => Pick<HeapSampler, 'refine'>} parts.sampler
   * @param {Pick<MainClient, 'read'>} parts.main
   * @param {() => number | null} parts.buffersBytes  of the main thread
   * @param {() => number} parts.heapBytes
   * @param {() => boolean} parts.hasSession
   * @param {(nodes: ProfileNode[]) => Map<number, string>} parts.routesOf
   * @param {(route: string) => CallFrame[]} [parts.handlersOf]
   * @param {Pick<ThreadSessions, 'open'>} [parts.threadSessions]
   * @param {(frames: CallFrame[]) => Promise<CallFrame[]>} parts.toOriginal
   * @param {string} parts.appRoot
   * @param {() => number} [parts.now]  milliseconds, monotonic
   * @param {typeof sleep} [parts.wait]
   * @param {number} [parts.maxReadShare]  of the time, for the readings of the heap
   */
  constructor (parts) {
    this.#parts = parts
    this.#source = createSourceLines(parts)
    this.#now = parts.now ?? monotonicMs
  }

  get isArmed () { return this.#running !== undefined }

  /**
   * Call it when the owners that grow have been read: the first time one of them grows, and once an hour while it does, it is armed.
   * @param {Growing[]} growing
   */
  noteGrowing (growing) {
    this.#armAgain(growing.map(({ owner }) => `growing ${owner}`), AGAIN_MS, { seconds: MAX_SAMPLED_SECONDS, ...wantedOf(growing) })
  }

  /**
   * Call it with the owners that grow fast, before there is a trend: it finds out whether what they have allocated stays, of each once in ten minutes
   * at most; all workers, which may be many and short-lived, count as one owner.
   * @param {Growing[]} growing
   * @param {GoesOn} [goesOn]  whether it takes longer to find out
   */
  noteGrowingFast (growing, goesOn) {
    this.#armAgain(growing.map(({ owner }) => `fast ${owner}`), AGAIN_FAST_MS, { seconds: FAST_SECONDS, goesOn, ...wantedOf(growing) })
  }

  /**
   * Call it when memory fills within minutes: there is no time to wait for a trend. It is armed once an hour at most.
   * @param {number} fullInMs
   */
  noteFilling (fullInMs) {
    const seconds = Math.min(FILLING.maxSeconds, fullInMs / 1e3 * FILLING.share)
    if (seconds >= FILLING.minSeconds) this.#armAgain(['filling'], AGAIN_MS, { seconds, isUrgent: true })
  }

  /**
   * Unless it was armed for all of them a short time ago.
   * @param {string[]} reasons
   * @param {number} againMs
   * @param {{ seconds: number, goesOn?: GoesOn, workers?: string[], isUrgent?: boolean, isOutsideHeap?: boolean }} wanted
   */
  #armAgain (reasons, againMs, wanted) {
    if (this.isArmed || reasons.every(reason => this.#now() - (this.#lastMs.get(reason) ?? -Infinity) < againMs)) return
    for (const reason of reasons) this.#lastMs.set(reason, this.#now())
    unattended(this.arm({ ...wanted, reason: 'growth' }))
  }

  /**
   * Those that are known now, also while it is armed: bounded, and nothing is asked.
   * @returns {AllocationSites | null} null: it was never armed
   */
  current () {
    return this.#last
  }

  /**
   * @param {{ seconds?: number, goesOn?: GoesOn, reason?: 'growth' | 'asked', workers?: string[], isUrgent?: boolean, isOutsideHeap?: boolean }} [wanted]
   *   goesOn: whether it takes longer, up to three minutes; workers: names of threads; isUrgent: readings may take more time, and where something is kept is looked for before its age can be judged; isOutsideHeap: what grows
   * @param {AbortSignal} [signal]  ends it early
   * @returns {Promise<AllocationSites>} of the run that is under way, if there is one
   */
  arm ({ seconds = DEFAULT_SECONDS, goesOn = () => false, reason = 'asked', workers = [], isUrgent = false, isOutsideHeap = false } = {}, signal) {
    this.#running ??= this.#watch({ seconds, goesOn, reason, workers, isUrgent, isOutsideHeap }, signal).finally(() => { this.#running = undefined })
    return this.#running
  }

  /**
   * @param {{ seconds: number, goesOn: GoesOn, reason: 'growth' | 'asked', workers: string[], isUrgent: boolean, isOutsideHeap: boolean }} wanted
   * @param {AbortSignal} [signal]
   * @returns {Promise<AllocationSites>}
   */
  async #watch ({ seconds, goesOn, reason, workers, isUrgent, isOutsideHeap }, signal) {
    /** @type {Run} */
    const run = {
      reason,
      isUrgent,
      fromMs: Date.now(),
      fromMicros: monotonicMicros(),
      lastMs: this.#now(),
      endMicros: [],
      seconds: [],
      heaps: [],
      buffers: null,
      buffersBefore: this.#parts.buffersBytes(),
      hasBuffers: false,
      notes: new Set(),
      readMs: 0
    }
    const wait = this.#parts.wait ?? sleep
    const close = await this.#open(run, { seconds, workers, samples: isOutsideHeap ? HOLDER_SAMPLES : HEAP_SAMPLES })
    try {
      const intervalSeconds = seconds / INTERVALS
      for (let interval = 1; ; interval++) {
        await wait(intervalSeconds * 1e3, undefined, { signal }).catch(() => {})
        const isLast = signal?.aborted === true || (interval >= INTERVALS && !await this.#goesOn(run, intervalSeconds, goesOn))
        run.endMicros.push(monotonicMicros())
        run.seconds.push((this.#now() - run.lastMs) / 1e3)
        run.lastMs = this.#now()
        const isRead = isLast || this.#mayRead(run)
        if (isRead) await this.#read(run)
        if (isLast) break
        if (isRead && (this.#last === null || interval >= MIN_INTERVALS)) this.#last = await this.#describe(run, true) // else the verdicts of the run before would be lost
      }
      this.#last = await this.#describe(run, false)
      return this.#last
    } finally {
      await close()
    }
  }

  /**
   * @param {Run} run  of which the time is over
   * @param {number} intervalSeconds
   * @param {GoesOn} goesOn
   */
  async #goesOn (run, intervalSeconds, goesOn) {
    if (sum(run.seconds) + 2 * intervalSeconds > MAX_SAMPLED_SECONDS || this.#last === null || this.#last.fromMs !== run.fromMs || !goesOn(this.#last)) return false
    if (run.hasBuffers) await this.#parts.main.read('armBuffers', { seconds: intervalSeconds + GRACE_SECONDS }, ANSWER_MS).catch(() => {}) // it may end before
    return true
  }

  /** @param {Run} run */
  #mayRead (run) {
    const expectedMs = Math.max(0, ...run.heaps.map(({ sampling }) => sampling.lastReadMs()))
    return run.readMs + expectedMs <= (monotonicMicros() - run.fromMicros) / 1e3 * (this.#parts.maxReadShare ?? (run.isUrgent ? FILLING.maxReadShare : MAX_READ_SHARE))
  }

  /**
   * @param {Run} run
   * @param {{ seconds: number, workers: string[], samples: typeof HEAP_SAMPLES }} wanted
   * @returns {Promise<() => Promise<void>>} closes everything
   */
  async #open (run, { seconds, workers, samples }) {
    const { main } = this.#parts
    run.hasBuffers = await main.read('armBuffers', { seconds: seconds + GRACE_SECONDS }, ANSWER_MS).then(() => true, () => false)
    if (!run.hasBuffers) run.notes.add('Buffers are not sampled: the main thread did not answer')
    if (!this.#parts.hasSession()) run.notes.add('allocations in the heap are not sampled: there is no inspector session')
    else if (run.reason === 'growth' && this.#parts.heapBytes() > MAX_SAMPLED_BYTES) run.notes.add('allocations in the heap are not sampled by themselves while it is this large: loopscope memory --sites does')
    else await this.#addHeap(run, null, { sampler: this.#parts.sampler(), samples })
    const closeThreads = workers.length === 0 ? async () => {} : await this.#openWorkers(run, workers)
    return async () => {
      for (const { sampling } of run.heaps) await sampling.close().catch(() => {}) // the thread or the session is gone
      await closeThreads()
      if (run.hasBuffers) await main.read('armBuffers', { seconds: 0 }, ANSWER_MS).catch(() => {}) // it ends by itself
    }
  }

  /** @param {Run} run @param {string[]} workers */
  async #openWorkers (run, workers) {
    /** @type {ThreadSession[]} */
    const threads = []
    const opened = await this.#parts.threadSessions?.open(thread => { threads.push(thread) }).catch(() => undefined)
    for (const thread of threads) {
      const name = workers.find(name => name === thread.kind || name === `worker ${thread.id}`)
      if (name !== undefined) await this.#addHeap(run, name, { sampler: new HeapSampler({ post: thread.post.bind(thread) }), samples: HEAP_SAMPLES })
    }
    return async () => { await opened?.close() }
  }

  /**
   * @param {Run} run
   * @param {string | null} thread
   * @param {{ sampler: Pick<HeapSampler, 'refine'>, samples: typeof HEAP_SAMPLES }} how
   */
  async #addHeap (run, thread, { sampler, samples }) {
    try {
      const sampling = await sampler.refine(samples)
      run.heaps.push({ thread, sampling, boundaries: [], profile: null })
      if (thread === null) run.readMs += sampling.lastReadMs()
    } catch {
      run.notes.add(`allocations in the heap of ${thread ?? 'the main thread'} are not sampled: its inspector does not answer`)
    }
  }

  /** @param {Run} run */
  async #read (run) {
    for (const heap of run.heaps) {
      const { sampling } = heap
      if (!sampling.isOpen()) {
        run.notes.add('another sampling of the heap has ended this one')
        continue
      }
      const profile = await sampling.read().catch(() => null)
      if (profile === null) continue
      if (heap.thread === null) run.readMs += sampling.lastReadMs()
      heap.profile = profile
      fillBoundaries(heap.boundaries, run.seconds.length, profile.samples.reduce((last, { ordinal }) => Math.max(last, ordinal), 0))
    }
    if (run.hasBuffers) run.buffers = await this.#parts.main.read('buffers', { boundaries: run.endMicros.slice(0, -1) }, ANSWER_MS).catch(() => run.buffers)
  }

  /** @param {Run} run @param {boolean} isArmed @returns {Promise<AllocationSites>} */
  async #describe (run, isArmed) {
    const { appRoot, routesOf, buffersBytes } = this.#parts
    const intervals = run.seconds
    const heaps = run.heaps.flatMap(({ thread, profile, boundaries }) => {
      const isMain = thread === null
      return profile === null ? [] : heapSitesOf(profile, { boundaries: boundaries.slice(0, -1), intervals: intervals.slice(0, boundaries.length), routesOf: isMain ? routesOf : () => new Map(), appRoot, thread })
    })
    const buffers = (run.buffers?.sites ?? []).map(toRaw)
    const sites = [...await this.#shown(heaps, run, intervals), ...await this.#shown(buffers, run, intervals)]
    const [before, now] = [run.buffersBefore, buffersBytes()]
    return {
      pid: process.pid,
      reason: run.reason,
      fromMs: run.fromMs,
      toMs: Date.now(),
      isArmed,
      intervals: intervals.map(seconds => Math.round(seconds * 10) / 10),
      sites: sites.sort(byWeight).slice(0, MAX_SITES),
      heap: run.heaps.length === 0 ? null : sumsOf(heaps),
      buffers: run.buffers && { ...sumsOf(buffers), grownBytes: before === null || now === null ? null : now - before },
      notes: [...run.notes],
      ownMs: Math.round(run.readMs + (run.buffers?.ownMs ?? 0))
    }
  }

  /**
   * @param {RawSite[]} raw
   * @param {Run} run
   * @param {number[]} intervals
   * @returns {Promise<AllocationSite[]>}
   */
  async #shown (raw, run, intervals) {
    const all = sum(raw, ({ bytes }) => bytes)
    const shown = raw.filter(({ bytes }) => bytes >= all * MIN_SHOWN_SHARE).sort((left, right) => right.bytes - left.bytes).slice(0, MAX_SITES)
    const frames = shown.flatMap(({ chain }) => chain)
    const original = await this.#parts.toOriginal(frames).catch(() => frames)
    const handlers = await this.#handlersOf(shown)
    const source = withFiles(this.#source)
    const found = shown.map(site => {
      const chain = original.splice(0, site.chain.length).map(frame => toCodeFrame(frame, this.#parts.appRoot))
      const places = new Map(site.chain.map((frame, at) => [functionKey(frame), chain[at]]))
      const calls = site.calls.flatMap(({ caller, frames }) => {
        const place = places.get(functionKey(caller))
        return place === undefined ? [] : { place, frames: frames.map(frame => toCodeFrame(frame, this.#parts.appRoot)) }
      })
      return { chain, calls, site: this.#toSite({ ...site, chain, handlers: handlers.get(site.route ?? '') ?? [] }, { run, intervals, source }) }
    })
    const like = (/** @type {typeof found} */ sites) => sites.map(one => isSearched(one.site) ? { ...one, site: keptLikeOthers(one.site, one.chain, sites) } : one)
    const calling = like(found).map(one => isSearched(one.site) ? { ...one, site: { ...one.site, ...keptByCallOf(one, source) } } : one)
    return like(calling).map(({ site }) => site)
  }

  /**
   * @param {RawSite[]} sites
   * @returns {Promise<Map<string, CodeFrame[]>>} the functions of the application that handle their routes, innermost first
   */
  async #handlersOf (sites) {
    /** @type {Map<string, CodeFrame[]>} */
    const found = new Map()
    for (const { route } of sites) {
      if (route === null || found.has(route)) continue
      const frames = this.#parts.handlersOf?.(route) ?? []
      const original = await this.#parts.toOriginal(frames).catch(() => frames)
      found.set(route, original.map(frame => toCodeFrame(frame, this.#parts.appRoot)).filter(isOfApplication).reverse())
    }
    return found
  }

  /**
   * @param {Omit<RawSite, 'chain'> & { chain: CodeFrame[], handlers: CodeFrame[] }} raw
   * @param {{ run: Run, intervals: number[], source: Source }} context
   * @returns {AllocationSite}
   */
  #toSite ({ chain, handlers, calls, byBirth, bytes, samples, isAttributed, ...rest }, { run, intervals, source }) {
    const [where] = chain
    const verdict = judgeSurvival(byBirth, intervals, samples)
    const judgedBytes = verdict === 'stays' ? sum(byBirth.slice(0, -1)) : 0
    const judgedSeconds = sum(intervals.slice(0, -1))
    const requests = rest.route === null ? 0 : run.buffers?.requests[rest.route] ?? 0
    const kept = verdict === 'stays' || (verdict === 'young' && run.isUrgent) ? keptPlaceOf(rest, chain, handlers, source) : null
    return {
      ...rest,
      ...where,
      caller: chain.find(({ file, line }) => file !== where.file || line !== where.line) ?? null,
      holder: kept?.holder ?? rest.holder,
      keptAt: kept?.keptAt ?? null,
      bytes: Math.round(bytes),
      samples,
      byBirth: byBirth.map(Math.round),
      verdict,
      bytesPerMinute: judgedSeconds === 0 ? 0 : Math.round(judgedBytes / judgedSeconds * 60),
      bytesPerRequest: requests === 0 || verdict !== 'stays' ? null : Math.round(bytes / requests)
    }
  }
}

/**
 * Of objects the functions are known, of Buffers the lines of the calls, and the handlers that they work for.
 * @param {Pick<RawSite, 'kind' | 'holder'>} site
 * @param {CodeFrame[]} chain
 * @param {CodeFrame[]} handlers  of its route
 * @param {Source} source
 */
function keptPlaceOf ({ kind, holder }, chain, handlers, source) {
  const own = chain.filter(isOfApplication) // what is written in a package says little about what it keeps
  if (isKeptByCaller(holder)) return wrappedAt(own, holder, source) ?? { keptAt: null, holder }
  if (kind === 'heap') return keptLineOf(own, holder, source, handlers) ?? madeAt([...own, ...handlers], holder, source) ?? wrappedAt(own, null, source)
  const lines = own.map(place => ({ ...place, column: 1 }))
  const kept = keptLineOf([...lines, ...handlers], null, source)
  // What is received and stays may belong to a response that nobody reads.
  const unread = holder === 'received data' && (kept === null || kept.holder === 'promises') ? keptLineOf([...lines, ...handlers], 'sockets', source) : null
  return unread?.holder === 'sockets' ? unread : kept && { ...kept, holder }
}

/**
 * Where no code of the application on the stack is known to keep anything.
 * @param {{ site: AllocationSite, chain: CodeFrame[], calls: { place: CodeFrame, frames: CodeFrame[] }[] }} found
 * @param {Source} source
 */
function keptByCallOf ({ site: { holder }, chain, calls }, source) {
  const own = chain.filter(isOfApplication)
  const [byPackage] = calls.flatMap(({ place, frames }) => isOfApplication(place) ? keptByPackage(place, frames, source) ?? [] : [])
  const kept = byPackage ?? handedOverAt(own, source) ?? (own.length > 0 ? onlyLineOf(own[0].file, source) : null)
  return kept && { ...kept, holder: kept.holder ?? holder }
}

/**
 * V8 numbers the samples of all that is allocated: between two readings an equal share of them stands for an equal share of the time.
 * @param {number[]} boundaries  of the intervals so far; those that are missing are added
 * @param {number} count  of intervals
 * @param {number} last  ordinal
 */
function fillBoundaries (boundaries, count, last) {
  const [from, missing] = [boundaries.at(-1) ?? 0, count - boundaries.length]
  for (let at = 1; at <= missing; at++) boundaries.push(from + Math.max(0, last - from) * at / missing)
}

/** @param {Growing[]} growing */
function wantedOf (growing) {
  const workers = growing.flatMap(({ owner, name }) => owner === 'worker' && name !== null ? [name] : [])
  return { workers, isOutsideHeap: growing.every(({ owner, name }) => owner === 'buffers' || owner === 'external' || owner === 'native' || (owner === 'worker' && name === null)) }
}

/**
 * What one function creates another one may keep: where both are called by the same function for the same route, and what the other one allocates stays
 * as well, on one line only; else where there is one line only that keeps something, of all that stays. Functions that lead to the site were searched
 * themselves.
 * @param {AllocationSite} site
 * @param {CodeFrame[]} chain
 * @param {{ chain: CodeFrame[], site: AllocationSite }[]} sites
 * @returns {AllocationSite}
 */
function keptLikeOthers (site, chain, sites) {
  const functions = new Set(chain.map(toKey))
  const keeping = sites.filter(other => other.site.keptAt !== null && other.site.verdict === 'stays' && other.site.thread === site.thread && !functions.has(toKey(other.chain[0])))
  const related = keeping.filter(other => other.site.route === site.route && other.chain.some(place => isOfApplication(place) && functions.has(toKey(place))))
  const possible = related.length > 0 || !chain.some(isOfApplication) ? related : keeping.filter(other => other.site.kind === 'heap' && !isKeptByCaller(other.site.holder))
  const lines = new Set(possible.map(({ site: { keptAt } }) => `${keptAt?.file}:${keptAt?.line}`))
  if (lines.size !== 1) return site
  const [{ site: { keptAt, holder, route } }] = possible
  if (related.length === 0 && site.route !== null && route !== null && site.route !== route) return site
  const isLinked = related.length > 0 || keptAt === null
  return { ...site, keptAt: isLinked ? keptAt : { ...keptAt, isGuess: true }, holder, route: site.route ?? route }
}

/** @param {AllocationSite} site */
function isSearched ({ kind, verdict, holder, keptAt }) {
  return kind === 'heap' && verdict === 'stays' && keptAt === null && !isKeptByCaller(holder)
}

/** @param {CodeFrame} place */
function toKey ({ file, line, column }) {
  return `${file}:${line}:${column}`
}

/** @param {CodeFrame} place */
function isOfApplication ({ file }) {
  return file !== '' && !file.startsWith('node:') && !isInPackage(file)
}

/** @param {BufferSite} site @returns {RawSite} */
function toRaw ({ frames, api, isReceived, route, bytes, samples, byBirth }) {
  const [inner, ...outer] = frames.map(toFrame)
  const isOfPackage = inner !== undefined && packageOf(inner.url) !== null && outer.length > 0
  const none = { functionName: isReceived ? '(received)' : `(${api})`, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
  return {
    kind: 'buffers',
    thread: null,
    chain: isOfPackage ? outer : [inner ?? none, ...outer],
    through: isOfPackage ? packageOf(inner.url) : null,
    calls: [],
    route,
    holder: isReceived ? 'received data' : api === 'zlib' ? 'zlib streams' : api,
    bytes,
    samples,
    byBirth,
    isAttributed: inner !== undefined
  }
}

/** @param {import('../../../probe/call-sites').CallPlace} frame @returns {CallFrame} */
function toFrame ({ function: functionName, file, line, column }) {
  return { functionName, scriptId: '0', url: file, lineNumber: line - 1, columnNumber: column - 1 }
}

/** @param {RawSite[]} sites */
function sumsOf (sites) {
  return {
    attributedBytes: Math.round(sum(sites, ({ isAttributed, bytes }) => isAttributed ? bytes : 0)),
    sampledBytes: Math.round(sum(sites, ({ bytes }) => bytes))
  }
}

/**
 * What stays first, the heaviest of it first.
 * @param {AllocationSite} left
 * @param {AllocationSite} right
 */
function byWeight (left, right) {
  return Number(right.verdict === 'stays') - Number(left.verdict === 'stays') || right.bytesPerMinute - left.bytesPerMinute || right.bytes - left.bytes
}

module.exports = { SiteWatch, DEFAULT_SECONDS }
