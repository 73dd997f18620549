'use strict'

// Which process a heap snapshot of the store is of, by the facts beside it: objects are numbered by each process for itself.

/** @typedef {{ pid: number, startedAt: number }} SnapshotProcess */

/**
 * @param {{ metadata (name: string): Record<string, any> | null }} store
 * @param {{ name: string, kind: string }} artifact
 * @returns {SnapshotProcess | null} null where it is not known, and of what is no snapshot
 */
function processOf (store, { name, kind }) {
  const { pid, startedAt } = (kind === 'heap-snapshot' ? store.metadata(name) : null) ?? {}
  return typeof pid === 'number' && typeof startedAt === 'number' ? { pid, startedAt } : null
}

/** @param {(SnapshotProcess | null)[]} processes */
function isOneProcess ([first, ...others]) {
  return first !== null && others.every(one => one?.pid === first.pid && one.startedAt === first.startedAt)
}

module.exports = { processOf, isOneProcess }
