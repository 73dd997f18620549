'use strict'

// Decides which call sites are reported: those that, over the last seconds, blocked the loop for long or read the clock too often. Each is reported
// once an hour while that continues: logged, and counted.

const { LabelCounts } = require('../../base/label-counts')
const { showPosition } = require('../../formats/profile/frame')
const { templateOf } = require('./totals')

/** @import { Advice, CodeFrame } from '../../../types/diagnostics' */

const WINDOW_SECONDS = 10 // long enough that one burst of a cheap call does not count
const REPEAT_MS = 3_600_000

/**
 * @typedef {object} Site
 * @property {{ isCounted: boolean }} target  isCounted: its calls are, and not timed
 * @property {boolean} flagged
 * @property {() => number} takeRecent  milliseconds, or calls, since this was last asked
 *
 * @typedef {{ api: string, callSite: CodeFrame, advice: Advice, routes: { route: string | null }[] }} FlaggedCall  routes: heaviest first
 *
 * @typedef {{ api: string, route: string, count: number }} FlagCount
 *
 * @typedef {object} Recent
 * @property {Float64Array} slots  one a tick
 * @property {number} reportedAt
 */

class Flags {
  #msPerSecond
  #callsPerSecond
  #slot = 0
  /** @type {Float64Array | undefined} */
  #tickedAt
  /** @type {WeakMap<Site, Recent>} */
  #recent = new WeakMap()

  /**
   * @param {object} limits
   * @param {number} limits.msPerSecond     of a site whose calls are timed
   * @param {number} limits.callsPerSecond  of a site whose calls are counted
   */
  constructor ({ msPerSecond, callsPerSecond }) {
    this.#msPerSecond = msPerSecond
    this.#callsPerSecond = callsPerSecond
  }

  /**
   * To be called each second or less often; the rate is taken over the time of the last ten calls, and over ten seconds at least.
   * @template {Site} Flagged
   * @param {readonly Flagged[]} sites
   * @param {number} nowMs
   * @returns {Flagged[]} those to report now
   */
  tick (sites, nowMs) {
    this.#tickedAt ??= new Float64Array(WINDOW_SECONDS).fill(nowMs)
    const seconds = Math.max((nowMs - this.#tickedAt[this.#slot]) / 1e3, WINDOW_SECONDS)
    const due = sites.filter(site => this.#isDue(site, seconds, nowMs))
    this.#tickedAt[this.#slot] = nowMs
    this.#slot = (this.#slot + 1) % WINDOW_SECONDS
    return due
  }

  /** @param {Site} site @param {number} seconds @param {number} nowMs */
  #isDue (site, seconds, nowMs) {
    const recent = this.#recentOf(site)
    recent.slots[this.#slot] = site.takeRecent()
    const rate = recent.slots.reduce((sum, value) => sum + value, 0) / seconds
    if (rate < (site.target.isCounted ? this.#callsPerSecond : this.#msPerSecond)) return false
    site.flagged = true
    if (nowMs - recent.reportedAt < REPEAT_MS) return false
    recent.reportedAt = nowMs
    return true
  }

  /** @param {Site} site */
  #recentOf (site) {
    let recent = this.#recent.get(site)
    if (recent === undefined) this.#recent.set(site, recent = { slots: new Float64Array(WINDOW_SECONDS), reportedAt: -Infinity })
    return recent
  }
}

/** What was flagged: each time it is logged, and counted by API and route. */
class FlagLog {
  #warn
  /** @type {LabelCounts<{ api: string, route: string }>} */
  #counts = new LabelCounts()

  /** @param {{ warn: (fields: object, message: string) => void }} parts */
  constructor ({ warn }) {
    this.#warn = warn
  }

  /** @param {FlaggedCall} call @param {string} amount  how much of it there was */
  add (call, amount) {
    const { api, callSite, advice, routes } = call
    const route = routes[0]?.route ?? null
    this.#counts.add({ api, route: templateOf(route) })
    const where = `${callSite.function} (${showPosition(callSite)})${route === null ? '' : ` for ${route}`}`
    this.#warn({ syncCall: call }, `hot synchronous call: ${api} in ${where}, ${amount}; ${advice.why}. Fix: ${advice.instead}`)
  }

  counts () {
    return this.#counts.list()
  }
}

module.exports = { FlagLog, Flags }
