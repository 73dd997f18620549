'use strict'

// What has to be done before V8's profiler is started from cold.

const v8 = require('node:v8')

/**
 * Node 22 can deadlock there (nodejs/node#65140): the profiler walks all code under a lock that is not recursive, an
 * allocation of the walk starts a garbage collection, and a collection that moves code asks for the same lock.
 * Without compaction of code nothing moves. Node 20 is not affected, Node 23 and later are mended.
 */
function preventDeadlock (version = process.versions.node) {
  if (version.startsWith('22.')) v8.setFlagsFromString('--no-compact-code-space')
}

module.exports = { preventDeadlock }
