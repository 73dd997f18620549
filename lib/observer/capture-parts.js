'use strict'

// What captures are made with, wired. Encoders, samplers and stores are loaded and made with the first one: a process that is never
// looked at does not pay for them.

/** @import { CpuProfile, EncodeContext } from '../../types/profile' */
/** @import { Place } from './captures/captures' */
/** @import { Handles, Order } from './captures/captures' */
/** @import { Instruments } from './captures/recorders' */

/** @typedef {ReturnType<typeof import('./main-thread/main-client').createMainClient>} MainClient */
/** @typedef {ReturnType<typeof import('./main-thread/own-work').createOwnWork>} OwnWork */

/**
 * @param {object} parts
 * @param {Instruments['views']} parts.views
 * @param {MainClient} parts.main
 * @param {OwnWork} parts.ownWork
 * @param {(profile: CpuProfile, appRoot: string) => NonNullable<EncodeContext['sections']>} parts.findings
 */
function createCapturing (parts) {
  return new Capturing(parts)
}

class Capturing {
  #parts
  /** @type {ReturnType<typeof import('./captures/captures').createCaptures> | undefined} */
  #captures
  /** @type {ReturnType<typeof import('./heap/sampler').createHeapSampler> | undefined} */
  #sampler
  /** @type {Map<string, ReturnType<typeof import('./store/store').createStore>>} */
  #stores = new Map()

  /** @param {Parameters<typeof createCapturing>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * @param {Order} order
   * @param {Handles} handles
   */
  run = (order, handles) => {
    this.#captures ??= require('./captures/captures').createCaptures({ instruments: this.#makeInstruments(), storeAt: this.storeAt, findings: this.#parts.findings })
    return this.#captures.run(order, handles)
  }

  /** @param {Place} place */
  storeAt = ({ dir, retention, appName, appRoot }) => {
    const key = JSON.stringify([dir, retention, appName, appRoot])
    const store = this.#stores.get(key) ?? require('./store/store').createStore({ dir, retention, application: { appName, appRoot } })
    this.#stores.set(key, store)
    return store
  }

  /** One, as V8 has one. */
  get sampler () {
    this.#sampler ??= require('./heap/sampler').createHeapSampler(this.#heldUp())
    return this.#sampler
  }

  /** The inspector session was let go of, and sampling ended with it. */
  loseSession () {
    this.#sampler?.onLost()
  }

  #heldUp () {
    const { ownWork } = this.#parts
    return { post: ownWork.post, stoodStillMs: () => ownWork.totalMs }
  }

  /** @returns {Instruments} */
  #makeInstruments () {
    const { views, main } = this.#parts
    return {
      views,
      snapshots: require('./heap/snapshot/snapshot-job').createSnapshots({
        askMain: order => main.ask('takeSnapshot', order, Infinity), // as long as it takes: nobody else may ask meanwhile
        readMainMemory: maxMs => main.ask('memory', {}, maxMs)
      }),
      heapSampler: this.sampler,
      heapHistogram: require('./heap/histogram').createHistograms(this.#heldUp())
    }
  }
}

module.exports = { createCapturing }
