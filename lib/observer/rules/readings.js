'use strict'

// Gathers the readings that rules are judged by, as far as some rule needs them. The main thread is asked every five seconds at most, and only for what
// a rule needs. While it does not answer, the last reading ages and is not used.

const { monotonicMicros } = require('../../base/monotonic')
const { nullWhenBlocked } = require('../../link/main-client')
const { doesNeed } = require('../../shared/rules/conditions')
const { residentBytes } = require('../../base/system/resident-memory')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */
/** @import { LoopCounts, Readings } from '../../shared/rules/conditions' */
/** @import { Rule } from '../../api/options/check-rules' */

/** @typedef {{ needsHeap: boolean }} LoopQuestion */

const LOOP_EVERY_MS = 5000
const MAX_STALLS = 5000

class RuleReadings {
  #parts
  #now
  #sinceMs
  #windowMs
  #findingsEveryMs
  /** @type {Readings['stalls']} */
  #stalls = []
  /** @type {LoopCounts[]} */
  #loop = []
  /** @type {Findings['findings'] | null} */
  #findings = null
  #loopDueMs = 0
  #findingsDueMs

  /**
   * @param {object} parts
   * @param {readonly Rule[]} parts.rules
   * @param {number} parts.stallThresholdMs
   * @param {() => number} parts.blockedMs  how long the loop has been stuck, 0 while it turns
   * @param {(question: LoopQuestion) => Promise<LoopCounts>} parts.askLoop  asks the main thread; rejects while the loop is stuck
   * @param {() => Promise<Findings>} parts.findFindings
   * @param {() => number} [parts.now]  milliseconds of the monotonic clock that all threads share
   */
  constructor (parts) {
    const { rules, now = () => monotonicMicros() / 1e3 } = parts
    this.#parts = parts
    this.#now = now
    this.#sinceMs = now()
    this.#windowMs = Math.max(...rules.map(({ withinSeconds }) => withinSeconds)) * 1e3
    // Findings take a second and parse a minute of samples: they are computed no more often than a rule needs.
    this.#findingsEveryMs = Math.min(...rules.filter(rule => doesNeed(rule, 'findings')).map(({ withinSeconds }) => withinSeconds)) * 1e3
    this.#findingsDueMs = now() + this.#findingsEveryMs // a process that has just started has no findings yet
  }

  /** @param {Stall} stall  a stall that is over */
  addStall ({ at, durationMs, culprit, route }) {
    const fromMs = this.#now() - (Date.now() - at)
    this.#stalls.push({ fromMs, toMs: fromMs + durationMs, culprit, route })
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
  }

  async refresh () {
    const nowMs = this.#now()
    const doesAnyNeed = (/** @type {Parameters<typeof doesNeed>[1]} */ needs) => this.#parts.rules.some(rule => doesNeed(rule, needs))
    const needsHeap = doesAnyNeed('heap')
    if (nowMs >= this.#loopDueMs && (needsHeap || doesAnyNeed('loop'))) {
      this.#loopDueMs = nowMs + LOOP_EVERY_MS
      await this.#askLoop({ needsHeap })
    }
    if (nowMs >= this.#findingsDueMs) {
      this.#findingsDueMs = nowMs + this.#findingsEveryMs
      this.#findings = (await this.#parts.findFindings()).findings.filter(({ over }) => over === null)
    }
  }

  /** @param {LoopQuestion} question */
  async #askLoop (question) {
    const counts = await this.#parts.askLoop(question).catch(nullWhenBlocked)
    if (counts !== null) this.#loop.push(counts)
  }

  /**
   * @param {Readings['stall']} [stall]  the stall of this moment
   * @returns {Readings}
   */
  read (stall = null) {
    const nowMs = this.#now()
    const fromMs = nowMs - this.#windowMs
    this.#stalls = this.#stalls.filter(({ toMs }) => toMs > fromMs)
    // The last entry before the window is its baseline.
    while (this.#loop.length > 1 && this.#loop[1].atMs < fromMs) this.#loop.shift()
    const { blockedMs, stallThresholdMs } = this.#parts
    const lastsMs = blockedMs()
    const lasting = lastsMs < stallThresholdMs ? [] : [{ fromMs: nowMs - lastsMs, toMs: nowMs, culprit: null, route: null }]
    return {
      nowMs,
      at: Date.now(),
      sinceMs: this.#sinceMs,
      stall,
      stalls: [...this.#stalls, ...lasting],
      loop: this.#loop,
      rssBytes: residentBytes(),
      findings: this.#findings
    }
  }
}

module.exports = { RuleReadings }
