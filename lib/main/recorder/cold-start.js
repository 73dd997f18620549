'use strict'

// What has to be done before V8's profiler is started from cold.

// The first Node 22 whose profiler takes the lock recursively, as Node 24 and 26 do.
const MENDED_22 = [23, 3]

/**
 * Node 20, and Node 22 before 22.23.3, can deadlock there (nodejs/node#65140): the start walks all code under a lock that is
 * not recursive, an allocation of the walk starts a garbage collection, and the collection takes the same lock. On 22 it is
 * enough that one begins that may move code: with the flag none may (test/stress/profiler-start.js shows it).
 *
 * A collection just before leaves the walk megabytes to allocate until the next one is due. Without it a process that had
 * filled buffers while it started hung in 7 of 120 starts on Node 20. It took 3 to 11 ms for heaps of 3 and 18 MB, and 1 to
 * 2 ms for the context that V8's own function for it is to be had from.
 *
 * What this cannot prevent: a walk that allocates as much as makes a whole collection due by itself. It needs hundreds of
 * megabytes of scripts loaded before the first start; the recorder therefore starts early and never drops to zero profiles.
 */
function preventDeadlock (version = process.versions.node) {
  if (!canDeadlock(version)) return
  const v8 = process.getBuiltinModule('node:v8')
  if (version.startsWith('22.')) v8.setFlagsFromString('--no-compact-code-space')
  collectGarbage(v8)
}

/** @param {string} version */
function canDeadlock (version) {
  const [major, minor, patch] = version.split('.').map(Number)
  const [mendedMinor, mendedPatch] = MENDED_22
  return major < 22 || (major === 22 && (minor < mendedMinor || (minor === mendedMinor && patch < mendedPatch)))
}

/**
 * At once: HeapProfiler.collectGarbage puts it off until the loop turns.
 * @param {typeof import('node:v8')} v8
 */
function collectGarbage (v8) {
  const isExposed = typeof globalThis.gc === 'function'
  v8.setFlagsFromString('--expose-gc')
  process.getBuiltinModule('node:vm').runInNewContext('gc')()
  if (!isExposed) v8.setFlagsFromString('--no-expose-gc')
}

module.exports = { preventDeadlock, canDeadlock }
