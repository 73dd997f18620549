'use strict'

// Samples allocations through the inspector: which stacks allocated what is alive, or all that was allocated. It lives in
// the observer thread. V8 has one such sampler a process and it knows one of the two at a time; it is started when somebody
// first asks, and costs nothing before.

const { setTimeout: sleep } = require('node:timers/promises')

/** @import { HeapSampling, SamplingProfile } from '../formats/heap-tree' */

/** @typedef {'live' | 'all'} SamplerMode  what is still alive, or also what was collected */

const INTERVAL_BYTES = 512 * 1024 // Go's and V8's default: one sample per half a megabyte, on average
// Somebody who asks for what there is, when nothing was sampled yet, gets this much instead of nothing.
const FIRST_SECONDS = 5

/**
 * @param {object} parts
 * @param {(method: string, params?: object) => Promise<any>} parts.post  to the inspector of the main thread
 * @param {number} [parts.intervalBytes]
 * @param {number} [parts.firstSeconds]
 */
function createHeapSampler (parts) {
  return new HeapSampler(parts)
}

class HeapSampler {
  #post
  #intervalBytes
  #firstSeconds
  /** @type {SamplerMode | undefined} */
  #mode
  #startedAt = 0
  /** Under way, all in the mode that is on. @type {Set<Promise<unknown>>} */
  #readers = new Set()

  /** @param {Parameters<typeof createHeapSampler>[0]} parts */
  constructor ({ post, intervalBytes = INTERVAL_BYTES, firstSeconds = FIRST_SECONDS }) {
    this.#post = post
    this.#intervalBytes = intervalBytes
    this.#firstSeconds = firstSeconds
  }

  get running () { return this.#mode !== undefined }

  /**
   * @param {object} wanted
   * @param {SamplerMode} wanted.mode      the other one than before starts anew
   * @param {number | null} wanted.seconds  what is new in so many seconds; null: since the sampler was started
   * @param {boolean} [wanted.collect]      collects garbage first, so that only what is held is seen as alive
   * @param {AbortSignal} [signal]  cancels it
   * @param {AbortSignal} [stop]    ends the waiting early, and keeps what there is
   * @returns {Promise<HeapSampling>}
   */
  async sample (wanted, signal, stop) {
    // V8 knows one mode at a time: who wants the other one waits until nobody needs this one.
    while (this.#readers.size > 0 && this.#mode !== wanted.mode) await Promise.allSettled(this.#readers)
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
  async #sample ({ mode, seconds, collect = false }, signal, stop) {
    signal?.throwIfAborted()
    const isNew = this.#mode !== mode
    if (isNew) await this.#start(mode)
    const waitSeconds = seconds ?? (isNew ? this.#firstSeconds : 0)
    const before = seconds === null ? null : await this.#read()
    const fromMs = before === null ? this.#startedAt : Date.now()
    if (waitSeconds > 0) await wait(waitSeconds * 1e3, signal, stop)
    if (collect) await this.#post('HeapProfiler.collectGarbage')
    return { profile: await this.#read(), before, fromMs, toMs: Date.now() }
  }

  async stop () {
    if (!this.running) return
    this.#mode = undefined
    await this.#post('HeapProfiler.stopSampling')
  }

  /** @param {SamplerMode} mode */
  async #start (mode) {
    if (this.running) await this.stop()
    this.#mode = mode
    this.#startedAt = Date.now()
    const includesCollected = mode === 'all'
    try {
      await this.#post('HeapProfiler.startSampling', {
        samplingInterval: this.#intervalBytes,
        includeObjectsCollectedByMajorGC: includesCollected,
        includeObjectsCollectedByMinorGC: includesCollected
      })
    } catch (error) {
      this.#mode = undefined
      throw error
    }
  }

  /** @returns {Promise<SamplingProfile>} */
  async #read () {
    const { profile } = await this.#post('HeapProfiler.getSamplingProfile')
    return profile
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 * @param {AbortSignal | undefined} stop
 */
async function wait (ms, signal, stop) {
  const ends = [signal, stop].filter(one => one !== undefined)
  try {
    await sleep(ms, undefined, { signal: AbortSignal.any(ends) })
  } catch {
    signal?.throwIfAborted()
  }
}

module.exports = { createHeapSampler }
