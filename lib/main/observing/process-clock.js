'use strict'

// The process's cached clock, made when it is first asked for: renewing it costs a timer in the observer.

const { createClock } = require('../../shared/clock')

/** @import { Keeper } from '../../shared/clock' */

/**
 * @param {object} parts
 * @param {Keeper} parts.keeper  has the observer renew a clock
 */
function createProcessClock ({ keeper }) {
  /** @type {ReturnType<typeof createClock> | undefined} */
  let clock
  return {
    keeper,
    get clock () {
      clock ??= createClock({ keeper })
      return clock
    },
    get clockIfUsed () { return clock },
    stop () {
      clock?.stop()
    }
  }
}

module.exports = { createProcessClock }
