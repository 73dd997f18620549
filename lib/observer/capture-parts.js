'use strict'

// Makes what captures need: encoders, samplers and stores. They are loaded with the first capture, so that a process without captures does not
// carry the cost.

const { CaptureCounts } = require('./counts')

/** @import { WorkLine } from '../../types/profile' */
/** @import { CaptureControls, Order, StoreLocation, CaptureSources } from './captures' */

/** @import { MainClient } from '../link/main-client' */
/** @typedef {ReturnType<typeof import('../link/main-client').createOwnWork>} OwnWork */

class CaptureParts {
  #parts
  /** @type {ReturnType<typeof import('./captures').createCaptures> | undefined} */
  #captures
  /** @type {import('./heap/sampler').HeapSampler | undefined} */
  #sampler
  /** @type {Map<string, ReturnType<typeof import('./store/store').createStore>>} */
  #stores = new Map()
  counts = new CaptureCounts()

  /**
   * @param {object} parts
   * @param {CaptureSources['views']} parts.views
   * @param {CaptureSources['sourceMaps']} parts.sourceMaps
   * @param {MainClient} parts.main
   * @param {OwnWork} parts.ownWork
   * @param {import('../shared/marks').Marks} parts.marks
   * @param {typeof import('./report-sections').reportSections} parts.reportSections
   * @param {() => WorkLine[]} parts.workLines
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {Order} order @param {CaptureControls} controls */
  run = (order, controls) => {
    this.#captures ??= require('./captures').createCaptures({
      sources: this.#makeSources(),
      storeAt: this.storeAt,
      reportSections: this.#parts.reportSections,
      workLines: this.#parts.workLines,
      marks: this.#parts.marks
    })
    const { run } = this.#captures
    return this.counts.around(order, controls.signal, () => run(order, controls))
  }

  /** @param {StoreLocation} location */
  storeAt = ({ dir, retention, appName, appRoot }) => {
    const key = JSON.stringify([dir, retention, appName, appRoot])
    const store = this.#stores.get(key) ?? require('./store/store').createStore({ dir, retention, application: { appName, appRoot } })
    this.#stores.set(key, store)
    return store
  }

  /** Only one, since V8 has only one. */
  get sampler () {
    if (this.#sampler === undefined) {
      const { HeapSampler } = require('./heap/sampler')
      this.#sampler = new HeapSampler(this.#pausingPost())
    }
    return this.#sampler
  }

  /** The end of the inspector session has ended the sampling. */
  onSessionClosed () {
    this.#sampler?.onLost()
  }

  /** Sends inspector commands that hold up the main thread, counted as loopscope's own work. */
  #pausingPost () {
    const { ownWork } = this.#parts
    return { post: ownWork.post, pausedMs: () => ownWork.totalMs }
  }

  /** @returns {CaptureSources} */
  #makeSources () {
    const { Histograms } = require('./heap/histogram')
    const { Snapshots } = require('./heap/snapshot/snapshot-job')
    const { views, sourceMaps, main } = this.#parts
    return {
      views,
      sourceMaps,
      snapshots: new Snapshots({
        askMain: order => main.ask('takeSnapshot', order, Infinity), // as long as it takes: no other snapshot can start before it
        readMainMemory: maxMs => main.read('memory', {}, maxMs)
      }),
      heapSampler: this.sampler,
      heapHistogram: new Histograms(this.#pausingPost())
    }
  }
}

module.exports = { CaptureParts }
