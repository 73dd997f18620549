'use strict'

// Stalls on the main thread, made together: who is told of them, the log of the last ones, and how a late tick becomes a report.

const { StallLog } = require('../../shared/stalls/stall-log')
const { createStallReporting } = require('./stall-reporting')
const { createSubscribers } = require('./subscribers')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { LateTick } from '../loop/heartbeat' */

/** @typedef {Parameters<typeof createStallReporting>[0]} ReportingParts */

/**
 * @param {Omit<ReportingParts, 'subscribers' | 'stallLog'>} parts
 */
function createStalls (parts) {
  return new Stalls(parts)
}

class Stalls {
  #observer
  #reporting
  /** The handles that run. */
  subscribers = createSubscribers()
  log = new StallLog()

  /** @param {Parameters<typeof createStalls>[0]} parts */
  constructor (parts) {
    this.#observer = parts.observer
    this.#reporting = createStallReporting({ ...parts, subscribers: this.subscribers, stallLog: this.log })
  }

  /** @param {LateTick} tick */
  report (tick) {
    return this.#reporting.report(tick)
  }

  /** A tick was on time: what ran long without stalling the loop must not be blamed for the next stall. */
  forgetSlow () {
    this.subscribers.forgetSlowest()
  }

  /**
   * More is known of one than was reported.
   * @param {Pick<Stall, 'id' | 'culprit' | 'stack'>} written
   */
  addWritten ({ id, culprit, stack }) {
    const stall = this.log.find(id)
    if (stall === undefined) return
    const more = { ...stall, culprit, stack }
    this.log.replace(more)
    this.#observer.tell('keepStall', { stall: more })
  }

  /** Tells the observer that runs now what the one before knew. */
  tellAll () {
    for (const stall of this.log.list().reverse()) this.#observer.tell('keepStall', { stall })
  }
}

module.exports = { createStalls }
