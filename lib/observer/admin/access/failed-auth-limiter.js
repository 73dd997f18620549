'use strict'

// Wrong tokens, by peer: after ten in a minute further wrong ones are told to wait. Behind a load balancer everybody has one
// address, so that a right token is never counted against it.

const { monotonicMs } = require('../../../shared/base/monotonic')

const MAX_FAILURES = 10
const WINDOW_MS = 60_000
const MAX_PEERS = 1000 // beyond that the oldest is forgotten: memory is bounded, and one peer cannot make others wait

/** @param {{ now?: () => number }} [parts] */
function createFailedAuthLimiter ({ now = monotonicMs } = {}) {
  /** @type {Map<string, { count: number, since: number }>} */
  const failures = new Map()

  /** @param {string} peer */
  function recent (peer) {
    const failed = failures.get(peer)
    return failed !== undefined && now() - failed.since < WINDOW_MS ? failed : undefined
  }

  return {
    /** @param {string} peer */
    fail (peer) {
      const { count, since } = recent(peer) ?? { count: 0, since: now() }
      failures.delete(peer)
      failures.set(peer, { count: count + 1, since })
      if (failures.size > MAX_PEERS) failures.delete(/** @type {string} */ (failures.keys().next().value))
    },

    /**
     * @param {string} peer
     * @returns {number} seconds to wait; 0 when the peer may be wrong once more
     */
    waitSeconds (peer) {
      const failed = recent(peer)
      return failed !== undefined && failed.count >= MAX_FAILURES ? Math.ceil((failed.since + WINDOW_MS - now()) / 1e3) : 0
    }
  }
}

module.exports = { createFailedAuthLimiter, MAX_FAILURES }
