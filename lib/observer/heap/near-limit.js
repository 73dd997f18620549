'use strict'

// Runs the observer's part of option onNearHeapLimit: moves the files of dead processes into the store, and watches the heap of this one. In mode
// `profile` it writes a heap profile from this thread when the heap comes near its limit, since at the limit the main thread has no time left.
// So the file exists before the process dies. It is rewritten as the heap grows.

const fs = require('node:fs')
const { attempt, guarded } = require('../../base/guard')
const { setTimeout } = require('../../base/timers')
const { HEAP_FORMATS } = require('../../formats/formats')
const { mark } = require('../../shared/heap/near-limit-mark')
const { residentBytes } = require('../../base/system/resident-memory')
const { adoptOrphans, makePrivate } = require('./snapshot/orphaned-snapshots')

/** @import { StoreLocation } from '../captures' */
/** @import { Adopted } from './snapshot/orphaned-snapshots' */

const FAR_CHECK_MS = 250 // a leaking loop fills a small heap within a second
const NEAR_CHECK_MS = 25
const NEAR_SHARE = 0.3
const FIRST_SHARE = 0.6 // of the limit; early, because near the limit garbage collections leave no time
const STEP_SHARE = 0.05

/**
 * @typedef {object} LimitOrder
 * @property {'profile' | 'snapshot'} mode
 * @property {string} folder      where V8 writes its files
 * @property {number} limitBytes  of the old generation
 * @property {StoreLocation} location  where the store is
 *
 * @param {LimitOrder} order
 * @param {object} parts
 * @param {ReturnType<typeof import('../store/store').createStore>} parts.store
 * @param {(method: string) => Promise<any>} parts.post
 * @param {import('./sampler').HeapSampler} parts.sampler
 * @param {(fields: object, message: string) => void} parts.logNow
 * @param {(error: unknown) => void} parts.report
 * @param {(artifact: import('../egress/egress').SentArtifact) => unknown} parts.onWritten  called for each profile: it replaces the one before
 * @returns {Promise<Adopted[]>}
 */
async function watchLimit ({ mode, folder, limitBytes, location: { appName } }, { store, post, sampler, logNow, report, onWritten }) {
  store.prepare()
  const adopted = await adoptOrphans(store.dir, { store, appName })
  mark(store.dir, folder)
  if (mode === 'snapshot') {
    fs.watch(folder, { persistent: false }, guarded(() => attempt(() => makePrivate(folder, process.pid), undefined))).on('error', report)
    return adopted
  }
  const onEvidence = (/** @type {{ path: string }} */ evidence) => {
    logNow({ nearHeapLimit: evidence }, `the heap is near its limit: ${evidence.path} says what fills it`)
  }
  await new NearLimitWatch({ post, sampler, store, appName, limitBytes, onEvidence, onWritten, onFault: report }).start()
  return adopted
}

/** @typedef {Pick<Parameters<typeof watchLimit>[1], 'store' | 'post' | 'sampler' | 'onWritten'>} WatchParts */

class NearLimitWatch {
  #parts
  #share = FIRST_SHARE
  #written = ''

  /**
   * @param {WatchParts & { appName: string, limitBytes: number, onFault: (error: unknown) => void,
   *   onEvidence: (evidence: { usedBytes: number, limitBytes: number, path: string }) => void }} parts  limitBytes: of the old generation
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** Starts sampling at once: a later start would miss earlier allocations. */
  async start () {
    await this.#parts.sampler.sample({ mode: 'live', seconds: null, firstSeconds: 0 })
    this.#checkLater(FAR_CHECK_MS)
  }

  /** @param {number} ms */
  #checkLater (ms) {
    setTimeout(guarded(() => this.#check().catch(this.#parts.onFault)), ms)
  }

  async #check () {
    const { post, limitBytes } = this.#parts
    // The memory of the whole process can be read without waking the main thread: while that is small, so is the heap. When it is not, the
    // main thread is asked at each check.
    let share = (residentBytes() ?? limitBytes) / limitBytes
    try {
      if (share < NEAR_SHARE) return
      const { usedSize: usedBytes } = await post('Runtime.getHeapUsage')
      share = usedBytes / limitBytes
      if (share >= this.#share) await this.#write(usedBytes)
      // A collection has freed memory: the next profile is written when the heap has grown again.
      else if (share < this.#share - 2 * STEP_SHARE) this.#share = Math.max(FIRST_SHARE, share + STEP_SHARE)
    } finally {
      this.#checkLater(share < NEAR_SHARE ? FAR_CHECK_MS : NEAR_CHECK_MS)
    }
  }

  /** @param {number} usedBytes */
  async #write (usedBytes) {
    const { post, sampler, store, appName, limitBytes, onEvidence, onWritten } = this.#parts
    const sampling = await sampler.sample({ mode: 'live', seconds: null, firstSeconds: 0, isUrgent: true })
    const { usedSize: leftBytes } = await post('Runtime.getHeapUsage')
    if (leftBytes < limitBytes * FIRST_SHARE) return // reading the profile collects garbage, and that was most of the heap
    const { encode, extension } = HEAP_FORMATS.heapprofile
    const bytes = encode({ ...sampling, mode: 'live' })
    const { name, path } = store.write({ kind: 'heap-profile', extension, at: Date.now(), appName, bytes })
    if (this.#written !== '') store.remove(this.#written)
    else onEvidence({ usedBytes, limitBytes, path })
    await onWritten({ kind: 'heap-profile', name, path, from: sampling.fromMs, to: sampling.toMs, heapProfile: { ...sampling, mode: 'live' } })
    this.#written = name
    this.#share = usedBytes / limitBytes + STEP_SHARE
  }
}

module.exports = { watchLimit }
