'use strict'

// The rules of one application, wired: readings, a watch each, and what is done. In the observer, so that they work while the main thread is
// stuck; that is when a rule about a stall is told of it.

const os = require('node:os')
const { guarded } = require('../../shared/base/guard')
const { conditionsOf, doesNeed } = require('../../shared/rules/conditions')
const { isChosen } = require('../../shared/rules/limits')
const { createActing } = require('./acting')
const { createLimitFile } = require('./limit-file')
const { createReadings } = require('./readings')
const { createWatch } = require('./watch')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { RuleOutcome, RulesStatus } from '../../../types/rules' */
/** @import { Rule } from '../../shared/rules/check-rules' */
/** @import { Admission, LimitState } from '../../shared/rules/limits' */
/** @import { Stuck } from '../stalls/stall-watch' */
/** @import { ActorTools } from './actors' */

const TICK_MS = 1000
// A stall of before an observer was lost is told to the next one: nothing is to be done about it any more.
const MAX_AGE_MS = 30_000
const MAX_LOOKS = 4 // a quarter of a second each, where a native call does not let V8 answer
// What a clock's two ways of being read may differ.
const GRAIN_MS = 50

/**
 * @typedef {object} Watched  a rule with its watch
 * @property {Rule} rule
 * @property {ReturnType<typeof createWatch>} watch
 * @property {number} toldMs  when it was last told of a stall that lasted
 *
 * @param {object} parts
 * @param {readonly Rule[]} parts.rules
 * @param {boolean} parts.isDryRun
 * @param {string | null} parts.instance  of this process among its siblings
 * @param {number} parts.stallThresholdMs
 * @param {Pick<ReturnType<typeof import('../stalls/stall-detection').createStallDetection>, 'addAlarm' | 'every' | 'lasting' | 'onOver' | 'series'>} parts.stalls
 * @param {Parameters<typeof createReadings>[0]['askLoop']} parts.askLoop
 * @param {Parameters<typeof createReadings>[0]['findFindings']} parts.findFindings
 * @param {() => string} parts.openFolder  of the application in the store
 * @param {Omit<ActorTools, 'signal' | 'heapProfiles'>} parts.tools
 * @param {(rule: string, outcome: RuleOutcome, actions: number) => void} parts.count
 */
function createRules (parts) {
  return new Rules(parts)
}

class Rules {
  #parts
  #readings
  /** @type {Watched[]} */
  #watched
  #elsewhere
  #ended = new AbortController()
  /** @type {(() => unknown)[]} */
  #endings = []
  #isRefreshing = false

  /** @param {Parameters<typeof createRules>[0]} parts */
  constructor (parts) {
    const { rules, isDryRun, instance, stalls, openFolder, tools, count } = parts
    const limits = isDryRun ? limitsInMemory() : createLimitFile(openFolder)
    const act = createActing({ limits, isDryRun, count, tools: { ...tools, signal: this.#ended.signal } })
    const identity = `${os.hostname()} ${instance ?? process.pid}`
    const here = rules.filter(({ limit }) => isChosen(limit.everyNth, identity))
    this.#parts = parts
    this.#watched = here.map(rule => ({ rule, watch: createWatch({ rule, act }), toldMs: 0 }))
    this.#elsewhere = rules.filter(rule => !here.includes(rule)).map(rule => createWatch({ rule, act }))
    this.#readings = createReadings({ ...parts, rules, blockedMs: () => stalls.series.blockedMs() })
  }

  get running () { return this.#endings.length > 0 }

  start () {
    if (this.running) return
    const { stalls } = this.#parts
    this.#endings.push(stalls.onOver(guarded((/** @type {Stall} */ stall) => this.#seeOver(stall))))
    for (const watched of this.#watched) {
      const { stallMs } = watched.rule.when
      if (stallMs !== undefined) this.#endings.push(stalls.addAlarm(stallMs, guarded((/** @type {Stuck} */ stuck) => this.#seeStuck(watched, stuck))))
    }
    if (this.#watched.some(({ rule }) => needsTicks(rule))) this.#endings.push(stalls.every(TICK_MS, () => this.#tick()))
  }

  stop () {
    this.#ended.abort()
    for (const end of this.#endings.splice(0)) end()
  }

  /** @returns {RulesStatus} */
  status () {
    return {
      dryRun: this.#parts.isDryRun,
      rules: [
        ...this.#watched.map(({ watch }) => ({ ...watch.status(), isHere: true })),
        ...this.#elsewhere.map(watch => ({ ...watch.status(), isHere: false }))
      ]
    }
  }

  async #tick () {
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    try {
      await this.#readings.refresh()
    } finally {
      this.#isRefreshing = false
    }
    if (this.#ended.signal.aborted) return
    const readings = this.#readings.read()
    for (const { rule, watch } of this.#watched) if (!doesNeed(rule, 'stall')) watch.see(readings)
  }

  /**
   * @param {Watched} watched
   * @param {Stuck} stuck
   */
  async #seeStuck (watched, stuck) {
    const lasting = await this.#lookAt(stuck)
    if (lasting === null) return // it is told when it is explained
    watched.toldMs = lasting.at + lasting.durationMs
    watched.watch.see(this.#readings.read({ durationMs: lasting.durationMs }), lasting)
  }

  /**
   * Limits are those of a culprit: where V8 does not say one at first, as on a crowded machine, it is asked again.
   * @param {Stuck} stuck
   */
  async #lookAt (stuck) {
    for (let look = 1; ; look++) {
      const lasting = await this.#parts.stalls.lasting.describe(stuck)
      if (lasting === null || lasting.culprit !== null || look === MAX_LOOKS) return lasting
    }
  }

  /** @param {Stall} stall */
  #seeOver (stall) {
    this.#readings.addStall(stall)
    const { at, durationMs } = stall
    if (Date.now() - at - durationMs > MAX_AGE_MS) return
    for (const { rule: { when }, watch, toldMs } of this.#watched) {
      const wasTold = toldMs >= at - GRAIN_MS && toldMs <= at + durationMs + GRAIN_MS
      if (when.stallMs !== undefined && durationMs >= when.stallMs && !wasTold) watch.see(this.#readings.read({ durationMs }), stall)
    }
  }
}

/** @param {Rule} rule */
function needsTicks (rule) {
  return conditionsOf(rule).some(name => name !== 'stallMs')
}

/** Of a dry run, which is to write nothing. */
function limitsInMemory () {
  /** @type {LimitState} */
  let kept = {}
  return {
    /** @param {(state: LimitState) => Admission} change */
    update (change) {
      const answer = change(kept)
      kept = answer.state ?? kept
      return answer
    }
  }
}

module.exports = { createRules }
