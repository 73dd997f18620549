'use strict'

// Samples allocations through the inspector: which stacks allocated what is still alive, or all that was allocated. It runs in the observer
// thread. V8 has one such sampler per process, with one of the two modes at a time. It starts on the first request and costs nothing before. In
// mode `live` it then stays on, because it only has what was allocated while it ran.

const { once } = require('node:events')
const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { SingleFlight } = require('../../base/single-flight')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { withoutOwnAllocations } = require('./own-allocations')
const { sleepUnless } = require('../recorder/views')

/** @import { HeapSampling, SamplingProfile } from '../../formats/profile/heap-tree' */

/** @typedef {'live' | 'all'} SamplerMode  live: what is still alive; all: also what was collected */

const INTERVAL_BYTES = 512 * 1024 // Go's and V8's default: one sample per half a megabyte, on average
// How long a first request for live objects waits, since nothing was sampled before.
const FIRST_SECONDS = 5
const RATE_SECONDS = 0.5
const MIN_CPU_SHARE = 0.2 // of an idle process much may be sampled; one that gets little of a CPU has none to spare
// In mode `all` V8's list keeps what was collected for as long as it samples, a few hundred bytes each: 100 MB/s make 200 samples a second.
// Readers take at most a tenth of the main thread's time, however many there are.
const REST_FACTOR = 9
const MAX_REST_MS = 10_000
const MAX_ALL_MS = 10 * 60_000

class HeapSampler {
  #post
  #pausedMs
  #lastReadMs = 0
  #reading = new SingleFlight({ take: () => this.#readNow(), restMs: () => Math.min(this.#lastReadMs * REST_FACTOR, MAX_REST_MS) })
  #intervalBytes
  #normalBytes
  #firstSeconds
  #maxAllMs
  #rateSeconds
  /** @type {SamplerMode | undefined} */
  #mode
  #startedAt = 0 // wall-clock time, for display
  #startedMs = 0
  /** Active readers, all in the current mode. @type {Set<Promise<unknown>>} */
  #readers = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  #expiry

  /**
   * @param {object} parts
   * @param {(method: string, params?: object) => Promise<any>} parts.post  sends to the inspector of the main thread
   * @param {() => number} [parts.pausedMs]  how long posted commands have paused the main thread so far
   * @param {number} [parts.intervalBytes]
   * @param {number} [parts.firstSeconds]
   * @param {number} [parts.maxAllMs]  the maximum age of the list in mode `all`, unless a reader uses it
   * @param {number} [parts.rateSeconds]  for which it looks how much is allocated, before it samples finely
   */
  constructor ({ post, pausedMs = () => 0, intervalBytes = INTERVAL_BYTES, firstSeconds = FIRST_SECONDS, maxAllMs = MAX_ALL_MS, rateSeconds = RATE_SECONDS }) {
    this.#post = post
    this.#pausedMs = pausedMs
    this.#intervalBytes = intervalBytes
    this.#normalBytes = intervalBytes
    this.#firstSeconds = firstSeconds
    this.#maxAllMs = maxAllMs
    this.#rateSeconds = rateSeconds
  }

  get running () { return this.#mode !== undefined }

  /**
   * @param {object} wanted
   * @param {SamplerMode} wanted.mode      a change of mode restarts the sampler
   * @param {number | null} wanted.seconds  allocations of the next seconds; null: since the sampler started
   * @param {number} [wanted.firstSeconds]  how long to wait if sampling only starts now
   * @param {boolean} [wanted.collect]      first collects garbage once more, so that objects held only by a finalizer do not count as alive
   * @param {boolean} [wanted.isUrgent]     waits for no other reader
   * @param {AbortSignal} [signal]  cancels it
   * @param {AbortSignal} [stop]    ends the wait early and returns what was sampled
   * @returns {Promise<HeapSampling>}
   */
  async sample (wanted, signal, stop) {
    // V8 has one mode at a time: a request for the other mode waits until this one has no readers.
    while (this.#readers.size > 0 && this.#mode !== wanted.mode) await settled(this.#readers, signal)
    const reader = this.#sample(wanted, signal, stop)
    this.#readers.add(reader)
    try {
      return await reader
    } finally {
      this.#readers.delete(reader)
    }
  }

  /**
   * @param {Parameters<HeapSampler['sample']>[0]} wanted
   * @param {AbortSignal} [signal]
   * @param {AbortSignal} [stop]
   * @returns {Promise<HeapSampling>}
   */
  async #sample ({ mode, seconds, firstSeconds = this.#firstSeconds, collect = false, isUrgent = false }, signal, stop) {
    signal?.throwIfAborted()
    const isNew = this.#mode !== mode || this.#isExpired()
    if (isNew) await this.#start(mode)
    const waitSeconds = seconds ?? firstSeconds - this.#ageMs() / 1e3
    const before = seconds === null || isNew ? null : await this.#read()
    const fromMs = before === null ? this.#startedAt : Date.now()
    if (waitSeconds > 0) await sleepUnless(waitSeconds * 1e3, signal, stop)
    if (collect) await this.#read()
    return { profile: await this.#read(isUrgent), before, fromMs, toMs: Date.now() }
  }

  /**
   * What is sampled at the moment, at once; it starts nothing.
   * @returns {Promise<HeapSampling | null>} null: nothing is
   */
  async readRunning () {
    if (this.#mode === undefined) return null
    return { profile: await this.#readNow(), before: null, fromMs: this.#startedAt, toMs: Date.now() }
  }

  /**
   * Samples what stays alive from now on more finely, until the result is closed. A request for the other mode ends it. V8 takes 4 to 5 µs for a sample:
   * how much is allocated in half a second, by CPU time, decides how fine it may be.
   * @param {{ minBytes: number, maxPerSecond: number }} wanted  bytes between two samples, on average; samples
   */
  async refine ({ minBytes, maxPerSecond }) {
    while (this.#readers.size > 0) await settled(this.#readers, undefined)
    const wasLive = this.#mode === 'live'
    const bytesPerSecond = await this.#allocatedPerSecond()
    while (this.#readers.size > 0) await settled(this.#readers, undefined)
    this.#intervalBytes = Math.max(minBytes, Math.round(bytesPerSecond / maxPerSecond))
    await this.#start('live')
    const startedMs = this.#startedMs
    const isOpen = () => this.#mode === 'live' && this.#startedMs === startedMs
    return {
      isOpen,
      read: () => this.#read(),
      lastReadMs: () => this.#lastReadMs,
      /** Afterwards it samples as before, if it did. */
      close: async () => {
        this.#intervalBytes = this.#normalBytes
        while (this.#readers.size > 0) await settled(this.#readers, undefined)
        if (isOpen()) await (wasLive ? this.#start('live') : this.stop())
      }
    }
  }

  /** In a second of CPU time. */
  async #allocatedPerSecond () {
    const fromMs = monotonicMs()
    const from = process.cpuUsage()
    const { profile, before } = await this.sample({ mode: 'all', seconds: this.#rateSeconds })
    const { user, system } = process.cpuUsage(from)
    const elapsedMs = monotonicMs() - fromMs
    const seen = new Set(before?.samples.map(({ ordinal }) => ordinal))
    const bytes = profile.samples.reduce((all, { ordinal, size = 0 }) => seen.has(ordinal) ? all : all + size, 0)
    return bytes / Math.min(elapsedMs, Math.max((user + system) / 1e3, elapsedMs * MIN_CPU_SHARE)) * 1e3
  }

  async stop () {
    if (!this.running) return
    this.#mode = undefined
    clearTimeout(this.#expiry)
    await this.#post('HeapProfiler.stopSampling')
  }

  /** The session is gone, and V8's sampler with it: the next request starts anew. */
  onLost () {
    this.#mode = undefined
    clearTimeout(this.#expiry)
  }

  /** Only while there are no readers: a reader would lose its baseline. */
  #isExpired () {
    return this.#mode === 'all' && this.#readers.size === 0 && this.#ageMs() >= this.#maxAllMs
  }

  #ageMs () {
    return monotonicMs() - this.#startedMs
  }

  #expireLater () {
    this.#expiry = setTimeout(guarded(() => {
      if (this.#isExpired()) this.stop().catch(() => {}) // it fails when the process ends
      else this.#expireLater()
    }), this.#maxAllMs).unref()
  }

  /**
   * Sends the start without waiting for anything: the session keeps the order of commands, so the next reader in this mode can read at
   * once.
   * @param {SamplerMode} mode
   */
  async #start (mode) {
    const stopped = this.stop()
    this.#mode = mode
    this.#startedAt = Date.now()
    this.#startedMs = monotonicMs()
    const includesCollected = mode === 'all'
    if (includesCollected) this.#expireLater()
    const started = this.#post('HeapProfiler.startSampling', {
      samplingInterval: this.#intervalBytes,
      includeObjectsCollectedByMajorGC: includesCollected,
      includeObjectsCollectedByMinorGC: includesCollected
    })
    try {
      await Promise.all([stopped, started])
    } catch (error) {
      this.#mode = undefined
      clearTimeout(this.#expiry)
      throw error
    }
  }

  /**
   * @param {boolean} [isUrgent]  the process may have no time left
   * @returns {Promise<SamplingProfile>}
   */
  #read (isUrgent = false) {
    return isUrgent ? this.#readNow() : this.#reading.share()
  }

  /**
   * V8 first collects all garbage (kSamplingForceGC, which the inspector always sets; Node 20 to 26): some 40 ms for a heap of 60 MB.
   * @returns {Promise<SamplingProfile>}
   */
  async #readNow () {
    const fromMs = this.#pausedMs()
    const { profile } = await this.#post('HeapProfiler.getSamplingProfile')
    this.#lastReadMs = this.#pausedMs() - fromMs
    return withoutOwnAllocations(profile)
  }
}

/** @param {Iterable<Promise<unknown>>} readers @param {AbortSignal | undefined} signal */
async function settled (readers, signal) {
  signal?.throwIfAborted()
  const left = new AbortController()
  const aborted = signal === undefined ? [] : [once(signal, 'abort', { signal: left.signal }).catch(() => {})]
  await Promise.race([Promise.allSettled(readers), ...aborted])
  left.abort()
  signal?.throwIfAborted()
}

module.exports = { HeapSampler }
