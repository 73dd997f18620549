'use strict'

// Notices each full garbage collection, at no cost between two of them: an object that nobody holds is found dead by it. A PerformanceObserver would
// run code after every short collection as well.

const { guarded } = require('../../base/guard')

// Up to Node.js 24 only a full collection notices that an object is dead. Later versions notice it in short ones too, unless it is old.
const SEES_SHORT_ONES = Number(process.versions.node.split('.')[0]) >= 25
const SURVIVED = 3 // short collections, until an object is surely in the old generation

class FullCollections {
  #onCollection
  /** @type {FinalizationRegistry<'witness' | 'young'> | undefined} */
  #registry
  /** Held until it is old. @type {object | undefined} */
  #witness
  #survived = 0

  /** @param {() => void} onCollection  called a moment after each full collection */
  constructor (onCollection) {
    this.#onCollection = onCollection
  }

  start () {
    if (this.#registry !== undefined) return
    this.#registry = new FinalizationRegistry(guarded(kind => this.#found(kind)))
    this.#watch()
  }

  stop () {
    this.#registry = undefined
    this.#witness = undefined
  }

  #watch () {
    const witness = {}
    this.#registry?.register(witness, 'witness')
    if (!SEES_SHORT_ONES) return
    this.#witness = witness
    this.#survived = 0
    this.#registry?.register({}, 'young')
  }

  /** @param {'witness' | 'young'} kind */
  #found (kind) {
    if (this.#registry === undefined) return
    if (kind === 'witness') {
      this.#watch()
      return this.#onCollection()
    }
    if (++this.#survived < SURVIVED) this.#registry.register({}, 'young')
    else this.#witness = undefined
  }
}

module.exports = { FullCollections }
