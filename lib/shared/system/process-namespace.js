'use strict'

// Where a process id means something: two containers have processes of the same ids.

const fs = require('node:fs')
const os = require('node:os')

/**
 * Of the process ids that a process sees. The number is one of the whole host, whoever asks.
 * @param {number | 'self'} pid
 * @returns {string | null} null: the system does not tell
 */
function namespaceOf (pid) {
  try {
    return fs.readlinkSync(`/proc/${pid}/ns/pid`).replace(/\D/g, '')
  } catch {
    return null
  }
}

/** Of this process; the name of the host where there is no /proc. */
function ownNamespace () {
  return namespaceOf('self') ?? (os.hostname().replace(/\W/g, '').slice(0, 32) || 'host')
}

module.exports = { namespaceOf, ownNamespace }
