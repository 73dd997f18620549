'use strict'

// When what could not be sent is tried again.

const FIRST_MS = 1000
const MAX_MS = 60_000
const MAX_ASKED_MS = 10 * 60_000 // that a server may have us wait: it may be wrong, and what waits is dropped some time

/** Answers after which the same request may succeed: too slow, too many, and faults of the server. */
const TRANSIENT = [408, 425, 429]

/** @param {number} status */
function isTransient (status) {
  return status >= 500 || TRANSIENT.includes(status)
}

/**
 * @param {number} failures  in a row, from 1
 * @param {number | null} askedMs  what the server asked for
 * @param {() => number} [random]  so that all processes of a fleet do not come back at once
 */
function retryDelayMs (failures, askedMs, random = Math.random) {
  const backoffMs = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + random() / 2)
  return Math.max(backoffMs, Math.min(askedMs ?? 0, MAX_ASKED_MS))
}

/**
 * @param {string | undefined} header  Retry-After: seconds, or a date
 * @param {number} [now]
 * @returns {number | null}
 */
function askedDelayMs (header, now = Date.now()) {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

module.exports = { askedDelayMs, isTransient, retryDelayMs }
