'use strict'

// Chooses the artifacts to remove. Pure: it gets a list and removes nothing itself.

const { sum } = require('../../base/sums')
const { ageMs } = require('../../base/local-time')
const { RETENTION: DEFAULTS } = require('../../shared/store/defaults')
const { assertInteger, assertKnownKeys, assertPlainObject } = require('../../base/validate')

/** @import { RetentionOptions } from '../../../types/diagnostics' */

/** @typedef {'count' | 'bytes' | 'age' | 'disk'} EvictionReason */
/** @typedef {{ name: string, bytes: number, at: number }} Kept */
/** @typedef {{ name: string, bytes: number, reason: EvictionReason }} Eviction */

/** @type {Readonly<Required<RetentionOptions>>} */
const LOWEST = Object.freeze({
  maxCount: 1,
  maxBytes: 1,
  maxAgeMs: 1,
  minFreeBytes: 0 // may use all free space, for a volume that holds only captures
})

/** @param {RetentionOptions} [retention] @returns {Readonly<Required<RetentionOptions>>} */
function createLimits (retention = {}) {
  assertPlainObject('options.retention', retention)
  const names = /** @type {(keyof RetentionOptions)[]} */ (Object.keys(DEFAULTS))
  assertKnownKeys('options.retention', retention, names)
  const limits = { ...DEFAULTS }
  for (const name of names) {
    limits[name] = retention[name] ?? DEFAULTS[name]
    assertInteger(`options.retention.${name}`, limits[name], LOWEST[name], Number.MAX_SAFE_INTEGER)
  }
  return Object.freeze(limits)
}

/**
 * @param {readonly Kept[]} artifacts
 * @param {Readonly<Required<RetentionOptions>>} limits
 * @param {{ now: number, freeBytes: number, partialBytes?: number, keep?: string }} facts
 *   freeBytes: on the disk now; partialBytes: size of unfinished files, for maxBytes; keep: name of the artifact just written, which stays
 *   whatever the limits are
 * @returns {Eviction[]} oldest first
 */
function chooseEvictions (artifacts, limits, { now, freeBytes, partialBytes = 0, keep }) {
  let count = artifacts.length
  let bytes = partialBytes + sum(artifacts, artifact => artifact.bytes)
  let free = freeBytes
  const evictions = []
  for (const artifact of oldestFirst(artifacts, now)) {
    if (artifact.name === keep) continue
    const reason = reasonToEvict({ age: ageMs(artifact.at, now), count, bytes, free }, limits)
    // Younger artifacts break no limit either: they are not older, and nothing else has changed.
    if (reason === null) break
    evictions.push({ name: artifact.name, bytes: artifact.bytes, reason })
    count--
    bytes -= artifact.bytes
    free += artifact.bytes
  }
  return evictions
}

/** @param {readonly Kept[]} artifacts @param {number} now */
function oldestFirst (artifacts, now) {
  return artifacts.toSorted((a, b) => ageMs(b.at, now) - ageMs(a.at, now) || (a.name < b.name ? -1 : 1))
}

/**
 * @param {{ age: number, count: number, bytes: number, free: number }} state  with the artifact still in place
 * @param {Readonly<Required<RetentionOptions>>} limits
 * @returns {EvictionReason | null}
 */
function reasonToEvict ({ age, count, bytes, free }, limits) {
  if (age > limits.maxAgeMs) return 'age'
  if (count > limits.maxCount) return 'count'
  if (bytes > limits.maxBytes) return 'bytes'
  if (free < limits.minFreeBytes) return 'disk'
  return null
}

module.exports = { createLimits, chooseEvictions }
