'use strict'

// Makes V8, on the main thread, leave evidence when its heap is about to overflow. It cannot be undone, so it is done once per process.

const path = require('node:path')

/** @typedef {'off' | 'profile' | 'snapshot'} NearLimitMode */

const NEAR_LIMIT_MODES = Object.freeze(/** @type {NearLimitMode[]} */ (['off', 'profile', 'snapshot']))
const MIB = 1024 ** 2
// V8's limit counts the young generation too, three semi-spaces of 16 to 64 MiB, where nothing that leaks stays.
const MAX_YOUNG_BYTES = 192 * MIB
const MIN_OLD_SHARE = 0.2
const FILES = 1 // the first is enough; the time of each snapshot grows with the heap

/**
 * @param {NearLimitMode} mode
 * @param {readonly string[]} flags  of Node.js, the later wins
 * @returns {string} the folder in which V8 leaves files
 */
function armNearLimit (mode, flags) {
  const { setHeapSnapshotNearHeapLimit, setHeapProfileNearHeapLimit } = /** @type {any} */ (process.getBuiltinModule('node:v8'))
  if (mode === 'snapshot') setHeapSnapshotNearHeapLimit(FILES)
  // From Node 26 V8 writes the running profile itself; on older versions the observer writes it before the limit.
  if (mode === 'profile') setHeapProfileNearHeapLimit?.(FILES)
  return path.resolve(valueOf(flags, /^--diagnostic-dir(?:ectory)?=(.*)$/) ?? '')
}

/**
 * The limit of the old generation: from the flag; without it, exact only to the size of the young generation.
 * @param {number} heapLimitBytes  with the young generation
 * @param {readonly string[]} flags
 */
function oldLimitBytes (heapLimitBytes, flags) {
  const megabytes = valueOf(flags, /^--max[-_]old[-_]space[-_]size=(\d+)$/)
  if (megabytes !== undefined) return Math.min(Number(megabytes) * MIB, heapLimitBytes)
  return Math.max(heapLimitBytes * MIN_OLD_SHARE, heapLimitBytes - MAX_YOUNG_BYTES)
}

/** @param {readonly string[]} flags @param {RegExp} pattern */
function valueOf (flags, pattern) {
  return flags.flatMap(flag => pattern.exec(flag)?.[1] ?? []).at(-1)
}

module.exports = { armNearLimit, oldLimitBytes, NEAR_LIMIT_MODES }
