'use strict'

// Samples allocations through the inspector: which stacks allocated what is alive, or all that was allocated. It lives in
// the observer thread. V8 has one such sampler a process and it knows one of the two at a time; it is started when somebody
// first asks, and costs nothing before.

const { setTimeout: sleep } = require('node:timers/promises')

/** @import { CallFrame } from '../../types/profile' */

/**
 * @typedef {{ callFrame: CallFrame, selfSize: number, id: number, children: SampledNode[] }} SampledNode  selfSize: bytes, scaled up from the samples
 * @typedef {{ head: SampledNode, samples: { size: number, nodeId: number, ordinal: number }[] }} SamplingProfile  as V8 gives it
 *
 * @typedef {'live' | 'all'} SamplerMode  what is still alive, or also what was collected
 * @typedef {{ profile: SamplingProfile, before: SamplingProfile | null, fromMs: number, toMs: number }} HeapSampling  before: what it looked like at fromMs
 */

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
   * @param {AbortSignal} [signal]
   * @returns {Promise<HeapSampling>}
   */
  async sample ({ mode, seconds, collect = false }, signal) {
    const isNew = this.#mode !== mode
    if (isNew) await this.#start(mode)
    const waitSeconds = seconds ?? (isNew ? this.#firstSeconds : 0)
    const before = seconds === null ? null : await this.#read()
    const fromMs = before === null ? this.#startedAt : Date.now()
    if (waitSeconds > 0) await sleep(waitSeconds * 1e3, undefined, { signal })
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
    await this.stop()
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

module.exports = { createHeapSampler }
