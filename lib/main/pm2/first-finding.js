'use strict'

// The title of the worst finding, for `pm2 describe`. Reading findings costs the observer a second: that is done only after something
// stalled, and then at most once a minute; and once more, later, when nothing stalled since, so that what is over is not shown for ever.

const { unattended } = require('../../shared/base/guard')

/** @import { Findings } from '../../../types/findings' */
/** @import { Figure } from './protocol' */

const BETWEEN_MS = 60_000
const OVER_MS = 600_000
const MAX_LENGTH = 160 // PM2 makes its table as wide as the longest row

const NOTHING_YET = 'nothing stalled yet'

/** @param {{ findings: () => Promise<Findings> }} parts */
function createFirstFinding (parts) {
  return new FirstFinding(parts)
}

class FirstFinding {
  #findings
  #title = NOTHING_YET
  /** @type {number | undefined} */
  #readMs
  #readStall = 0
  #isCalm = true

  /** @param {Parameters<typeof createFirstFinding>[0]} parts */
  constructor ({ findings }) {
    this.#findings = findings
  }

  /**
   * What is known now; what is found out for it is there the next time.
   * @param {object} now
   * @param {number} now.lastStall  its number, 0 before the first
   * @param {number} now.atMs  monotonic
   * @returns {Figure}
   */
  take ({ lastStall, atMs }) {
    if (this.#isDue(lastStall, atMs)) {
      this.#isCalm = lastStall === this.#readStall
      this.#readStall = lastStall
      this.#readMs = atMs
      unattended(this.#read())
    }
    return { name: 'Finding', value: this.#title, unit: '' }
  }

  /**
   * @param {number} lastStall
   * @param {number} atMs
   */
  #isDue (lastStall, atMs) {
    const ageMs = this.#readMs === undefined ? Infinity : atMs - this.#readMs
    if (lastStall !== this.#readStall) return ageMs >= BETWEEN_MS
    return !this.#isCalm && ageMs >= OVER_MS
  }

  async #read () {
    try {
      const { findings: [first] } = await this.#findings()
      this.#title = first.title.length > MAX_LENGTH ? `${first.title.slice(0, MAX_LENGTH - 1)}…` : first.title
    } catch (error) {
      this.#title = `not known: ${/** @type {Error} */ (error).message}`.slice(0, MAX_LENGTH) // without an observer, which was warned of
    }
  }
}

module.exports = { createFirstFinding }
