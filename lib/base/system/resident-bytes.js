'use strict'

// Reads the resident memory of the process from the system, if available.

/** @returns {number | null} null where it cannot be read: without /proc, in a plain chroot, Node.js throws */
function residentBytes () {
  return orNull(process.memoryUsage.rss)
}

/** @returns {NodeJS.MemoryUsage | null} as residentBytes() */
function memoryUsage () {
  return orNull(process.memoryUsage)
}

/**
 * @template T
 * @param {() => T} read
 */
function orNull (read) {
  try {
    return read()
  } catch {
    return null
  }
}

module.exports = { memoryUsage, residentBytes }
