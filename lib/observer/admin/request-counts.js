'use strict'

// Counts the admin surface's requests: endpoints, status codes, and refusals.

/** @import { AdminTotals } from '../counts' */

/** @typedef {'missing' | 'bad' | 'scope' | 'host' | 'origin'} RefusalReason */
/** @typedef {{ name: 'request', endpoint: string, code: number } | { name: 'authFailure', reason: RefusalReason }} AdminEvent */

/** @type {readonly RefusalReason[]} */
const REASONS = Object.freeze(['missing', 'bad', 'scope', 'host', 'origin'])

class RequestCounts {
  /** Endpoints and codes are closed sets, so this is bounded. @type {Map<string, AdminTotals['requests'][0]>} */
  #requests = new Map()
  #refusals = new Map(REASONS.map(reason => [reason, { reason, count: 0 }]))

  /** @param {AdminEvent} event */
  count (event) {
    if (event.name === 'authFailure') {
      const refusal = this.#refusals.get(event.reason)
      if (refusal !== undefined) refusal.count++
      return
    }
    const { endpoint, code } = event
    const key = `${endpoint} ${code}`
    const total = this.#requests.get(key) ?? { endpoint, code, count: 0 }
    total.count++
    this.#requests.set(key, total)
  }

  /** @returns {AdminTotals} */
  counts () {
    return { requests: [...this.#requests.values()], refusals: [...this.#refusals.values()] }
  }
}

module.exports = { RequestCounts }
