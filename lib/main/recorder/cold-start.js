'use strict'

// What has to be done before V8's profiler is started from cold.

const v8 = require('node:v8')

// The first Node 22 whose profiler takes the lock recursively, as Node 24 and 26 do.
const MENDED_22 = [23, 3]

/**
 * Node 22 before 22.23.3 can deadlock there (nodejs/node#65140): the start walks all code under a lock that is not
 * recursive, an allocation of the walk starts a garbage collection, and a collection that may move code takes the same
 * lock. Without compaction of code it does not; test/stress/profiler-start.js shows both.
 *
 * What this cannot prevent, on Node 20 too: a whole mark-compact inside the walk. It needs hundreds of megabytes of scripts
 * loaded before the first start; the recorder therefore starts early and never drops to zero profiles.
 */
function preventDeadlock (version = process.versions.node) {
  if (canDeadlock(version)) v8.setFlagsFromString('--no-compact-code-space')
}

/** @param {string} version */
function canDeadlock (version) {
  const [major, minor, patch] = version.split('.').map(Number)
  const [mendedMinor, mendedPatch] = MENDED_22
  return major === 22 && (minor < mendedMinor || (minor === mendedMinor && patch < mendedPatch))
}

module.exports = { preventDeadlock, canDeadlock }
