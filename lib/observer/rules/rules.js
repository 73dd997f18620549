'use strict'

// Runs the rules of one application: gathers the readings, watches each rule and runs the actions. It runs in the observer, so that rules work while
// the main thread is stuck; that is when a rule about a stall is triggered.

const os = require('node:os')
const path = require('node:path')
const { createActionRunner } = require('./run-actions')
const { RuleReadings } = require('./readings')
const { guarded } = require('../../base/guard')
const { conditionsOf, doesNeed } = require('../../shared/rules/conditions')
const { isChosen, toLimitState } = require('../../shared/rules/limits')
const { RULES_FOLDER } = require('../../shared/store/file-name')
const { updateState } = require('../store/versioned-file')
const { Watch } = require('./watch')

/** @import { ActionTools } from './run-actions' */
/** @import { ApplicationSettings, SourceParts } from '../admin/admin-sources' */
/** @import { Sources } from '../admin/router' */
/** @import { Rule } from '../../api/options/check-rules' */
/** @import { Admission, LimitState } from '../../shared/rules/limits' */
/** @import { Stuck } from '../stalls/stall-watch' */
/** @import { LabelCounts } from '../../base/label-counts' */
/** @import { Stall } from '../../../types/diagnostics' */
/** @import { RuleOutcome, RulesStatus } from '../../../types/rules' */

const TICK_MS = 1000
// A new observer may report a stall from before the last one was lost: after this time no rule acts on it.
const MAX_AGE_MS = 30_000
const MAX_ATTEMPTS = 4 // a quarter of a second each, if a native call keeps V8 from answering
// The possible difference between two readings of the same clock.
const GRAIN_MS = 50

/**
 * Made from what the application's admin surface has: rules capture, find and log in the same way as people do through it.
 * @param {object} parts
 * @param {ApplicationSettings & { instance: string | null }} parts.application
 * @param {() => Sources} parts.sources
 * @param {Pick<SourceParts, 'settings' | 'main' | 'stalls' | 'logNow' | 'egress'>} parts.observer
 * @param {LabelCounts<{ rule: string, outcome: RuleOutcome }>} parts.counts  the counts of the process
 */
function createApplicationRules ({ application, sources, observer, counts }) {
  const { id, appName, group, version, instance, rules, rulesDryRun } = application
  const { settings: { stallThresholdMs }, main, stalls, logNow, egress } = observer
  const isStuck = () => stalls.series.blockedMs() >= stallThresholdMs
  return new Rules({
    rules,
    isDryRun: rulesDryRun,
    instance,
    stallThresholdMs,
    stalls,
    askLoop: question => main.read('loopCounts', { application: id, question }),
    findFindings: () => sources().findings(),
    openFolder: () => {
      const { store } = sources()
      store.prepare()
      return store.dir
    },
    tools: {
      capture: (wanted, controls) => sources().capture(wanted, controls),
      push: async artifact => {
        const opened = egress()
        if (opened === undefined) throw new Error('egress is not open')
        return opened.push(artifact, { isUrgent: true })
      },
      // A log line that waits for a stuck main thread is lost if that never continues.
      writeLog: (level, fields, message) => isStuck() ? logNow(fields, message) : sources().log[level](fields, message),
      process: { appName, group, pid: process.pid, host: os.hostname(), version }
    },
    count: (rule, outcome, actions) => counts.add({ rule, outcome }, actions)
  })
}

/**
 * @typedef {object} Watched  a rule with its watch
 * @property {Rule} rule
 * @property {Watch} watch
 * @property {number} reportedMs  the time of its last report of a stall that lasted
 */

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

  /**
   * @param {object} parts
   * @param {readonly Rule[]} parts.rules
   * @param {boolean} parts.isDryRun
   * @param {string | null} parts.instance  distinguishes this process from its siblings
   * @param {number} parts.stallThresholdMs
   * @param {Pick<ReturnType<typeof import('../stalls/stall-detection').createStallDetection>, 'addAlarm' | 'interval' | 'lasting' | 'onOver' | 'series'>} parts.stalls
   * @param {ConstructorParameters<typeof RuleReadings>[0]['askLoop']} parts.askLoop
   * @param {ConstructorParameters<typeof RuleReadings>[0]['findFindings']} parts.findFindings
   * @param {() => string} parts.openFolder  opens the application's folder in the store
   * @param {Omit<ActionTools, 'signal' | 'heapProfiles'>} parts.tools
   * @param {(rule: string, outcome: RuleOutcome, actions: number) => void} parts.count
   */
  constructor (parts) {
    const { rules, isDryRun, instance, stalls, openFolder, tools, count } = parts
    const limits = isDryRun ? limitsInMemory() : createLimitFile(openFolder)
    const act = createActionRunner({ limits, isDryRun, count, tools: { ...tools, signal: this.#ended.signal } })
    const identity = `${os.hostname()} ${instance ?? process.pid}`
    const here = rules.filter(({ limit }) => isChosen(limit.everyNth, identity))
    this.#parts = parts
    this.#watched = here.map(rule => ({ rule, watch: new Watch({ rule, act }), reportedMs: 0 }))
    this.#elsewhere = rules.filter(rule => !here.includes(rule)).map(rule => new Watch({ rule, act }))
    this.#readings = new RuleReadings({ ...parts, rules, blockedMs: () => stalls.series.blockedMs() })
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
    if (this.#watched.some(({ rule }) => conditionsOf(rule).some(name => name !== 'stallMs'))) this.#endings.push(stalls.interval(TICK_MS, () => this.#tick()))
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

  /** @param {Watched} watched @param {Stuck} stuck */
  async #seeStuck (watched, stuck) {
    const lasting = await this.#describeLasting(stuck)
    if (lasting === null) return // the rule sees the stall when it is explained
    watched.reportedMs = lasting.at + lasting.durationMs
    watched.watch.see(this.#readings.read({ durationMs: lasting.durationMs }), lasting)
  }

  /**
   * Limits count per culprit: if V8 does not yield one at first, as on a crowded machine, the stack is read again.
   * @param {Stuck} stuck
   */
  async #describeLasting (stuck) {
    for (let attempt = 1; ; attempt++) {
      const lasting = await this.#parts.stalls.lasting.describe(stuck)
      if (lasting === null || lasting.culprit !== null || attempt === MAX_ATTEMPTS) return lasting
    }
  }

  /** @param {Stall} stall */
  #seeOver (stall) {
    this.#readings.addStall(stall)
    const { at, durationMs } = stall
    if (Date.now() - at - durationMs > MAX_AGE_MS) return
    for (const { rule: { when }, watch, reportedMs } of this.#watched) {
      const wasReported = reportedMs >= at - GRAIN_MS && reportedMs <= at + durationMs + GRAIN_MS
      if (when.stallMs !== undefined && durationMs >= when.stallMs && !wasReported) watch.see(this.#readings.read({ durationMs }), stall)
    }
  }
}

/**
 * Records what the rules of an application did in the last day, in its folder of the store: all its processes share the file, and it outlives them,
 * so that a crash loop does not act a thousand times. All methods throw if the folder cannot be written.
 * @param {() => string} openFolder  returns the application's folder, which exists then
 */
function createLimitFile (openFolder) {
  return {
    /** @param {(state: LimitState) => Admission} change @returns {Admission} */
    update: change => updateState(path.join(openFolder(), RULES_FOLDER), kept => change(toLimitState(kept)))
  }
}

/** The limits of a dry run, which writes no file. */
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

module.exports = { createApplicationRules, createLimitFile }
