'use strict'

// What we have this thread do that holds it up: told to the heartbeat, so that it is no stall of the application, and added up.

/**
 * @param {object} parts
 * @param {{ beginOwnWork (): void, endOwnWork (): number }} parts.heartbeat
 */
function createOwnWork ({ heartbeat }) {
  let totalMs = 0

  /** @returns {number} milliseconds since the beginning */
  function end () {
    const tookMs = heartbeat.endOwnWork()
    totalMs += tookMs
    return tookMs
  }

  return {
    get totalMs () { return totalMs },
    begin: () => heartbeat.beginOwnWork(),
    end,
    /**
     * @template T
     * @param {() => T} work
     * @returns {T}
     */
    exempt (work) {
      heartbeat.beginOwnWork()
      try {
        return work()
      } finally {
        end()
      }
    }
  }
}

module.exports = { createOwnWork }
