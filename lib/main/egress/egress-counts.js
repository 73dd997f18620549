'use strict'

// What became of the items of egress, and how much waits. Counting only.

/** @import { DestinationName } from '../../shared/egress/destinations' */

/**
 * @typedef {'sent' | 'retried' | 'refused' | 'dropped' | 'unreadable'} EgressOutcome  of an item; retried: it failed, and is tried again; unreadable: what
 *   was on disk is no item of this destination, and was set aside
 * @typedef {{ to: DestinationName, outcome: EgressOutcome | null, queueBytes: number }} EgressEvent  null: one was queued
 */

function createEgressCounts () {
  return new EgressCounts()
}

class EgressCounts {
  /** @type {Map<string, { to: DestinationName, outcome: EgressOutcome, count: number }>} */
  #totals = new Map()
  #queueBytes = 0

  /** @param {EgressEvent} event */
  note ({ to, outcome, queueBytes }) {
    this.#queueBytes = queueBytes
    if (outcome === null) return
    const key = `${to} ${outcome}`
    const total = this.#totals.get(key) ?? { to, outcome, count: 0 }
    total.count++
    this.#totals.set(key, total)
  }

  read () {
    return { totals: [...this.#totals.values()], queueBytes: this.#queueBytes }
  }
}

module.exports = { createEgressCounts }
