'use strict'

// The table of conditions that a rule can wait for, each with the check of its threshold and how its current value is read. A new one is a row here, a
// member of RuleConditions (types/rules.d.ts), a row in docs/rules.md, and one test. Pure.

const { quantileOf } = require('../../base/bucket-counts')
const { assertInteger, assertNumberAbove, assertOneOf } = require('../../base/validate')

/** @import { Finding, FindingId } from '../../../types/findings' */
/** @import { RuleConditions } from '../../../types/rules' */
/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { Rule } from '../../api/options/check-rules' */
/** @import { Suspect } from '../../observer/rules/firing' */

/**
 * @typedef {object} LoopCounts  what the main thread counts, since the start
 * @property {number} atMs
 * @property {number} activeMs
 * @property {number} idleMs
 * @property {Pick<BucketReading, 'bounds' | 'counts' | 'count'>} delay  in seconds
 * @property {number} responses
 * @property {number} errorResponses  with a status from 500 on
 * @property {number | null} heapAfterGcBytes  null: not watched, or no full collection yet
 *
 * @typedef {object} Readings  what conditions are judged by; times in milliseconds of the clock that waiting is counted by
 * @property {number} nowMs
 * @property {number} at  the same since the epoch
 * @property {number} sinceMs  from when on there are readings
 * @property {{ durationMs: number } | null} stall  that lasts, or is over, in this very moment
 * @property {({ fromMs: number, toMs: number } & Suspect)[]} stalls  of the last minutes, the one that lasts included
 * @property {LoopCounts[]} loop  oldest first
 * @property {number | null} rssBytes  null: it cannot be read
 * @property {readonly Pick<Finding, 'id' | 'share' | 'where'>[] | null} findings
 *
 * @typedef {object} ConditionRow
 * @property {'stall' | 'window' | 'loop' | 'heap' | 'findings' | 'nothing'} needs  to be gathered for it
 * @property {(path: string, value: any) => void} check
 * @property {(readings: Readings, rule: Rule) => number | null} read  null: unknown at the moment
 * @property {(readings: Readings, rule: Rule) => boolean | null} [isMet]  where it is not that the limit is reached
 *
 * @typedef {keyof RuleConditions} ConditionName
 * @typedef {{ name: ConditionName, value: number | null, isMet: boolean | null }} Judged  null: unknown at the moment
 */

const MAX_STALL_MS = 600_000
const MAX_COUNT = 10_000
const MAX_DELAY_MS = 600_000
// Fewer answers make no share: one failed request of two is not half of the service.
const MIN_RESPONSES = 20
// Where nothing of the first half is known, the window has not been seen.
const MIN_SEEN_SHARE = 0.5
// A reading is taken every five seconds: one that is older was not renewed, because the loop does not turn.
const MAX_AGE_MS = 15_000

// Findings that report a problem. Listed here, so that a process with a rule does not load the detectors on its main thread; a test compares the
// two lists.
/** @type {readonly FindingId[]} */
const FINDING_IDS = Object.freeze([
  'hot-sync-call', 'hot-json', 'hot-logging', 'hot-clock', 'hot-dependency', 'hot-function', 'many-short-turns', 'task-flood', 'gc-pressure',
  'socket-writes', 'socket-reads', 'socket-connects', 'heap-grows', 'buffers-grow', 'memory-grows', 'memory-full', 'memory-report', 'fragmentation', 'open-files', 'pool-full', 'starved', 'suspended', 'start-up', 'busy-threads',
  'hanging-requests', 'small-pool', 'slow-dns', 'no-keep-alive', 'timer-wait', 'lock-wait', 'serial-awaits', 'many-calls', 'slow-elsewhere', 'own-cost', 'unexplained-stalls'
])

/** @type {Readonly<Record<ConditionName, ConditionRow>>} */
const CONDITIONS = Object.freeze({
  // Stalls: one that lasts, how many there were, how much of the time they took.
  stallMs: {
    needs: 'stall',
    check: (path, value) => assertInteger(path, value, 20, MAX_STALL_MS),
    read: ({ stall }) => stall?.durationMs ?? null
  },
  stallCount: {
    needs: 'window',
    check: (path, value) => assertInteger(path, value, 1, MAX_COUNT),
    read: ({ stalls, nowMs }, { withinSeconds }) => stalls.filter(({ toMs }) => toMs > nowMs - withinSeconds * 1e3).length
  },
  blockedShare: {
    needs: 'window',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: ({ stalls, nowMs, sinceMs }, { withinSeconds }) => {
      const fromMs = nowMs - withinSeconds * 1e3
      if (sinceMs > fromMs) return null // a stall of one second is half of two seconds, but not of the minute
      return stalls.reduce((sum, stall) => sum + Math.max(0, stall.toMs - Math.max(stall.fromMs, fromMs)), 0) / (withinSeconds * 1e3)
    }
  },

  // The loop as the main thread counts it, and its requests: over a window, as the difference of two readings.
  utilization: {
    needs: 'loop',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const activeMs = ends.last.activeMs - ends.first.activeMs
      const idleMs = ends.last.idleMs - ends.first.idleMs
      return activeMs + idleMs > 0 ? activeMs / (activeMs + idleMs) : null
    }
  },
  delayP99Ms: {
    needs: 'loop',
    check: (path, value) => assertInteger(path, value, 1, MAX_DELAY_MS),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const { first: { delay: before }, last: { delay } } = ends
      const counts = delay.counts.map((count, index) => count - before.counts[index])
      return quantileOf({ bounds: delay.bounds, counts, count: delay.count - before.count }, 0.99) * 1e3
    }
  },
  errorResponseShare: {
    needs: 'loop',
    check: (path, value) => assertNumberAbove(path, value, 0, 1),
    read: (readings, rule) => {
      const ends = windowOf(readings, rule)
      if (ends === null) return null
      const responses = ends.last.responses - ends.first.responses
      return responses >= MIN_RESPONSES ? (ends.last.errorResponses - ends.first.errorResponses) / responses : 0
    }
  },

  // Memory: what the system gives the process, and what V8 keeps after full collections.
  rssBytes: {
    needs: 'nothing',
    check: (path, value) => assertInteger(path, value, 1, Number.MAX_SAFE_INTEGER),
    read: ({ rssBytes }) => rssBytes
  },
  heapAfterGcBytes: {
    needs: 'heap',
    check: (path, value) => assertInteger(path, value, 1, Number.MAX_SAFE_INTEGER),
    read: ({ loop }) => loop.at(-1)?.heapAfterGcBytes ?? null
  },

  // What is wrong with the process, as findings report it.
  finding: {
    needs: 'findings',
    check: (path, value) => assertOneOf(path, value, FINDING_IDS),
    read: ({ findings }, { when }) => findings?.filter(({ id }) => id === when.finding).reduce((sum, { share }) => sum + share, 0) ?? null,
    isMet: ({ findings }, { when }) => findings?.some(({ id }) => id === when.finding) ?? null
  }
})

/** @param {Rule} rule @param {Readings} readings @returns {Judged[]} */
function judge (rule, readings) {
  return conditionsOf(rule).map(name => {
    const { read, isMet } = CONDITIONS[name]
    const value = read(readings, rule)
    const isReached = () => value === null ? null : value >= Number(rule.when[name])
    return { name, value, isMet: isMet === undefined ? isReached() : isMet(readings, rule) }
  })
}

/** @param {Pick<Rule, 'when'>} rule @returns {ConditionName[]} */
function conditionsOf ({ when }) {
  return /** @type {ConditionName[]} */ (Object.keys(when))
}

/**
 * Whether a rule needs something to be gathered.
 * @param {Pick<Rule, 'when'>} rule
 * @param {ConditionRow['needs']} needs
 */
function doesNeed (rule, needs) {
  return conditionsOf(rule).some(name => CONDITIONS[name].needs === needs)
}

/**
 * The two readings at the ends of a rule's window, for what is counted since the start.
 * @param {Pick<Readings, 'loop' | 'nowMs'>} readings
 * @param {{ withinSeconds: number }} rule
 * @returns {{ first: LoopCounts, last: LoopCounts } | null} null: unknown
 */
function windowOf ({ loop, nowMs }, { withinSeconds }) {
  const last = loop.at(-1)
  if (last === undefined || nowMs - last.atMs > MAX_AGE_MS) return null
  const windowMs = withinSeconds * 1e3
  const first = loop.find(({ atMs }) => atMs >= last.atMs - windowMs)
  return first !== undefined && last.atMs - first.atMs >= windowMs * MIN_SEEN_SHARE ? { first, last } : null
}

module.exports = { CONDITIONS, FINDING_IDS, conditionsOf, doesNeed, judge }
