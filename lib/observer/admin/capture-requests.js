'use strict'

// Requests for captures: what is requested, on whose behalf, which scope each kind needs and how often it may be requested.

const { readJsonBody } = require('./parameters')
const { errors } = require('../../base/errors')
const { monotonicMs } = require('../../base/monotonic')
const { assertKnownKeys, refuse } = require('../../base/validate')

/** @import { AdminRequest } from './router' */
/** @import { Scope } from '../../shared/admin/tokens' */
/** @import { CaptureKind, Trigger } from '../../../types/diagnostics' */

/**
 * @typedef {{ count: number, perMs: number }} Budget
 * @typedef {{ scope: Scope, isExclusive: boolean, budgets: readonly Budget[] }} CapturePolicy  isExclusive: one at a time
 */

const MAX_LABEL_LENGTH = 64
const MAX_KEY_LENGTH = 128

const ASKED_FOR = 'x-loopscope-asked-for'
const MAX_ASKER_LENGTH = 200

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

// Enough heap snapshots for before, after and once more: each stops the process for a while.
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

/**
 * Reads the body of a POST: a kind of capture, its options and a label.
 * @param {AdminRequest} request
 * @param {string} [givenKind]
 * @returns {{ kind: string, label: string | null, options: Record<string, any> }}
 */
function readCaptureBody (request, givenKind) {
  const { kind = givenKind, label = null, ...options } = readJsonBody(request)
  if (label !== null && (typeof label !== 'string' || label.length > MAX_LABEL_LENGTH)) {
    refuse('label', `a string of at most ${MAX_LABEL_LENGTH} characters`, label)
  }
  if (givenKind !== undefined && kind !== givenKind) refuse('kind', givenKind, kind)
  if (typeof kind !== 'string') throw new errors.ERR_LOOPSCOPE_INVALID_OPTION('kind', 'the kind of capture', String(kind))
  assertKnownKeys('the body', options, Object.keys(options).filter(name => name !== 'signal'))
  return { kind, label, options }
}

/**
 * The idempotency key: a repeated request with it finds the first capture.
 * @param {AdminRequest} request
 * @returns {string | null}
 */
function readKey ({ headers }) {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH) refuse('Idempotency-Key', `at most ${MAX_KEY_LENGTH} characters`, key)
  return key
}

/**
 * The requester of a capture, for the audit log, and whether it is the user who owns the process. A process of the group that requests on behalf of
 * another client also uses the control socket, and names that client: it has no more rights than that client.
 * @param {Pick<AdminRequest, 'endpoint' | 'peer' | 'headers'>} request
 * @returns {{ isOwner: boolean, trigger: Trigger, actor: string }}
 */
function requesterOf ({ endpoint, peer, headers }) {
  const asker = endpoint === 'control' ? headers[ASKED_FOR] : undefined
  if (asker !== undefined) return { isOwner: false, trigger: 'http', actor: `${String(asker).slice(0, MAX_ASKER_LENGTH)}, through its group` }
  const isOwner = endpoint === 'control'
  return { isOwner, trigger: isOwner ? 'cli' : 'http', actor: `${endpoint} ${peer ?? 'this host'}` }
}

/**
 * Headers that name the requester to the processes of the group.
 * @param {AdminRequest} request
 * @returns {Record<string, string>} headers for the requests to those processes
 */
function askedFor (request) {
  const { isOwner, actor } = requesterOf(request)
  return isOwner ? {} : { [ASKED_FOR]: actor }
}

/** @param {CaptureKind | string} kind */
function policyOf (kind) {
  return Object.hasOwn(POLICIES, kind) ? POLICIES[kind] : STRICTEST
}

/** @param {string} kind @param {string} scope */
function outOfScope (kind, scope) {
  return { status: 403, detail: `A ${kind} capture needs the scope ${scope}.`, remedy: `Use a token with the scope ${scope}.` }
}

/**
 * Whether a capture uses its budget. A failed or refused one does not; a cancelled one does if it stops the process: the pause has happened, or will,
 * and otherwise a client could start any number of them by disconnecting each time.
 * @param {string} kind
 * @param {'succeeded' | 'failed' | 'cancelled'} state
 */
function isUsed (kind, state) {
  return state === 'succeeded' || (state === 'cancelled' && policyOf(kind).isExclusive)
}

/** Counts how often each kind was requested, and computes when it may be requested again. */
function createBudgets () {
  /** When each kind was used. @type {Map<string, number[]>} */
  const used = new Map()
  return {
    /** @param {string} kind @returns {number} seconds until one more may be taken; 0: now */
    waitSeconds (kind) {
      const nowMs = monotonicMs()
      const times = used.get(kind) ?? []
      const waits = policyOf(kind).budgets.map(({ count, perMs }) => {
        const recent = times.filter(time => nowMs - time < perMs)
        return recent.length < count ? 0 : recent[recent.length - count] + perMs - nowMs
      })
      return Math.ceil(Math.max(0, ...waits) / 1e3)
    },
    /**
     * Begins one. It counts while it runs, so that many at once are limited like many in a row.
     * @param {string} kind
     * @returns {() => void} returns it to the budget: there was no result
     */
    use (kind) {
      const time = monotonicMs()
      const oldest = time - Math.max(...policyOf(kind).budgets.map(({ perMs }) => perMs))
      used.set(kind, [...(used.get(kind) ?? []).filter(one => one > oldest), time])
      return () => {
        const times = used.get(kind) ?? []
        const at = times.indexOf(time)
        if (at !== -1) used.set(kind, times.toSpliced(at, 1))
      }
    }
  }
}

module.exports = { askedFor, createBudgets, isUsed, outOfScope, policyOf, readCaptureBody, readKey, requesterOf }
