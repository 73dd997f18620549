'use strict'

// Counts by labels, each combination of them once, as a counter of the metrics has them. Nothing is forgotten: the caller bounds the values.

/** @template {Record<string, string | number>} Labels */
class LabelCounts {
  /** @type {Map<string, Labels & { count: number }>} */
  #counts = new Map()

  /** @param {Labels} labels  always with the same names in the same order @param {number} [times] */
  add (labels, times = 1) {
    const key = JSON.stringify(labels)
    const total = this.#counts.get(key) ?? { ...labels, count: 0 }
    total.count += times
    this.#counts.set(key, total)
  }

  /** In the order in which they came. */
  list () {
    return [...this.#counts.values()]
  }
}

module.exports = { LabelCounts }
