'use strict'

// What the heap snapshots in the store took, also those of earlier runs: a machine's speed, and how busy it is, no table knows.

/**
 * @param {object} store
 * @param {() => { name: string, kind: string }[]} store.list
 * @param {(name: string) => any} store.metadata
 * @returns {number[]} milliseconds for each megabyte, at most one a snapshot
 */
function previousPauses (store) {
  const snapshots = store.list().filter(({ kind }) => kind === 'heap-snapshot')
  return snapshots.map(({ name }) => store.metadata(name)?.pauseMsPerMb).filter(pause => Number.isFinite(pause) && pause > 0)
}

module.exports = { previousPauses }
