'use strict'

// Asks V8, on the main thread, to leave evidence when its heap is about to overflow. It cannot be taken back: once a process.

const path = require('node:path')
const v8 = require('node:v8')

/** @typedef {'off' | 'profile' | 'snapshot'} NearLimitMode */

const NEAR_LIMIT_MODES = Object.freeze(/** @type {NearLimitMode[]} */ (['off', 'profile', 'snapshot']))
const DEFAULTS = Object.freeze({ onNearHeapLimit: 'off' })
const MIB = 1024 ** 2
// V8's limit counts the young generation too, three semi-spaces of 16 to 64 MiB, where nothing that leaks stays.
const MAX_YOUNG_BYTES = 192 * MIB
const MIN_OLD_SHARE = 0.2
const FILES = 1 // the first says it; each snapshot takes as long as the heap is large

/**
 * @param {NearLimitMode} mode
 * @param {{ execArgv?: readonly string[] }} [surroundings]
 * @returns {string} the folder in which V8 leaves files
 */
function armNearLimit (mode, { execArgv = process.execArgv } = {}) {
  const { setHeapSnapshotNearHeapLimit, setHeapProfileNearHeapLimit } = /** @type {any} */ (v8)
  if (mode === 'snapshot') setHeapSnapshotNearHeapLimit(FILES)
  // From Node 26 on V8 writes the running profile itself; before, the observer writes it ahead of the limit.
  if (mode === 'profile') setHeapProfileNearHeapLimit?.(FILES)
  const [, folder = ''] = /^--diagnostic-dir(?:ectory)?=(.*)$/.exec(execArgv.find(arg => arg.startsWith('--diagnostic-dir')) ?? '') ?? []
  return path.resolve(folder)
}

/**
 * How much may live long. The flag says it; without it, it is known only to the young generation's size.
 * @param {number} heapLimitBytes  with the young generation
 * @param {readonly string[]} [execArgv]
 */
function oldLimitBytes (heapLimitBytes, execArgv = process.execArgv) {
  const [, megabytes] = /^--max[-_]old[-_]space[-_]size=(\d+)$/.exec(execArgv.findLast(arg => /^--max[-_]old[-_]space[-_]size=/.test(arg)) ?? '') ?? []
  if (megabytes !== undefined) return Math.min(Number(megabytes) * MIB, heapLimitBytes)
  return Math.max(heapLimitBytes * MIN_OLD_SHARE, heapLimitBytes - MAX_YOUNG_BYTES)
}

module.exports = { armNearLimit, oldLimitBytes, NEAR_LIMIT_MODES, DEFAULTS }
