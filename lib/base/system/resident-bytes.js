'use strict'

// Reads the resident memory of the process from the system, if available.

const { attempt } = require('../guard')

/** @returns {number | null} null where it cannot be read: without /proc, in a plain chroot, Node.js throws */
function residentBytes () {
  return attempt(process.memoryUsage.rss, null)
}

/** @returns {NodeJS.MemoryUsage | null} as residentBytes() */
function memoryUsage () {
  return attempt(process.memoryUsage, null)
}

module.exports = { memoryUsage, residentBytes }
