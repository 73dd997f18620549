'use strict'

// One call site as the samples know it, on the main thread: what the observer says of it, and how much of it is new.

const { exactParts, roundedSum } = require('../base/exact-sum')

/** @import { CodeFrame } from '../../../types/diagnostics' */
/** @import { SampledSite } from '../../observer/sync-calls/sync-samples' */

class SampledView {
  /** What Flags asks of a site. */
  target = { isCounted: false }
  flagged = false
  #callSite
  #micros = 0
  #takenMicros = 0
  /** @type {ReadonlyMap<string, number>} */
  #routes = new Map()

  /**
   * @param {string} api
   * @param {CodeFrame} callSite
   */
  constructor (api, callSite) {
    this.api = api
    this.#callSite = callSite
  }

  /**
   * @param {SampledSite} site
   * @param {CodeFrame} [callSite]
   */
  update ({ micros, routes }, callSite = this.#callSite) {
    this.#callSite = callSite
    this.#micros = micros
    this.#routes = routes
  }

  /** @returns {number} milliseconds since this was last asked */
  takeRecent () {
    const micros = this.#micros - this.#takenMicros
    this.#takenMicros = this.#micros
    return micros / 1e3
  }

  /** @param {number} busyMicros  all the time that was not idle */
  read (busyMicros) {
    const known = [...this.#routes].map(([route, micros]) => ({ route: /** @type {string | null} */ (route), ms: micros / 1e3 }))
    const restMs = (this.#micros - roundedSum(exactParts([...this.#routes.values()]))) / 1e3
    // What ran after an await or outside requests: the samples do not say for whom.
    const rest = restMs >= 1 ? [{ route: null, ms: restMs }] : []
    return {
      api: this.api,
      callSite: this.#callSite,
      ms: this.#micros / 1e3,
      share: busyMicros === 0 ? 0 : this.#micros / busyMicros,
      routes: [...known, ...rest].sort((left, right) => right.ms - left.ms),
      flagged: this.flagged
    }
  }
}

module.exports = { SampledView }
