'use strict'

// What each kind of capture needs and may use up: the scope, and how often it may be asked for over the admin surface.

const { monotonicMs } = require('../../shared/base/monotonic')

/** @import { CaptureKind } from '../../../types/diagnostics' */
/** @import { Scope } from '../../shared/admin/scopes' */

/**
 * @typedef {{ count: number, perMs: number }} Budget
 * @typedef {{ scope: Scope, isExclusive: boolean, budgets: readonly Budget[] }} CapturePolicy  isExclusive: one at a time
 */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

// Of heap snapshots enough for before, after and once more: each stops the process for a while.
/** @type {Readonly<Record<string, CapturePolicy>>} */
const POLICIES = Object.freeze({
  cpu: { scope: 'profile', isExclusive: false, budgets: [{ count: 6, perMs: 10 * MINUTE_MS }] },
  'heap-profile': { scope: 'profile', isExclusive: false, budgets: [{ count: 6, perMs: 10 * MINUTE_MS }] },
  'heap-histogram': { scope: 'dump', isExclusive: true, budgets: [{ count: 6, perMs: 10 * MINUTE_MS }] },
  'heap-snapshot': { scope: 'dump', isExclusive: true, budgets: [{ count: 3, perMs: 10 * MINUTE_MS }, { count: 12, perMs: DAY_MS }] },
  report: { scope: 'dump', isExclusive: true, budgets: [{ count: 6, perMs: 10 * MINUTE_MS }] }
})

/** @type {CapturePolicy} */
const STRICTEST = POLICIES['heap-snapshot']

/** @param {CaptureKind | string} kind */
function policyOf (kind) {
  return Object.hasOwn(POLICIES, kind) ? POLICIES[kind] : STRICTEST
}

/**
 * Whether a capture counts. One that failed or was refused does not; one that was cancelled does where it stops the process: the pause
 * was there, or comes all the same, and who could take it back by leaving could have any number of them.
 * @param {string} kind
 * @param {'succeeded' | 'failed' | 'cancelled'} state
 */
function isUsed (kind, state) {
  return state === 'succeeded' || (state === 'cancelled' && policyOf(kind).isExclusive)
}

/** @param {{ now?: () => number }} [parts] */
function createBudgets ({ now = monotonicMs } = {}) {
  /** When each kind was used. @type {Map<string, number[]>} */
  const used = new Map()
  return {
    /**
     * @param {string} kind
     * @returns {number} seconds until one more may be taken; 0: now
     */
    waitSeconds (kind) {
      const times = used.get(kind) ?? []
      const waits = policyOf(kind).budgets.map(({ count, perMs }) => {
        const recent = times.filter(time => now() - time < perMs)
        return recent.length < count ? 0 : recent[recent.length - count] + perMs - now()
      })
      return Math.ceil(Math.max(0, ...waits) / 1e3)
    },
    /**
     * One begins. It counts while it is under way, so that many at once are no more than one after the other.
     * @param {string} kind
     * @returns {() => void} gives it back: nothing came of it
     */
    use (kind) {
      const oldest = now() - Math.max(...policyOf(kind).budgets.map(({ perMs }) => perMs))
      const time = now()
      used.set(kind, [...(used.get(kind) ?? []).filter(one => one > oldest), time])
      return () => {
        const times = used.get(kind) ?? []
        const at = times.indexOf(time)
        if (at !== -1) used.set(kind, times.toSpliced(at, 1))
      }
    }
  }
}

module.exports = { policyOf, isUsed, createBudgets }
