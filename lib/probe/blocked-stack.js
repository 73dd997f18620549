'use strict'

// Reads the stack below an interrupt in the middle of a stall: line and column of each call, and V8's builtins (JSON.stringify, Array.sort), which
// a CPU profile has no frame for. It runs while the application is late: so it only writes what V8 has at once, as one text, and leaves everything
// else to the observer (observer/stalls/culprit/blocked-stacks.js).

const { readCallSites } = require('./call-sites')
const { toJson } = require('../base/globals')
const { monotonicMicros } = require('../base/monotonic')

/**
 * A call that had not returned: line and column of the call from 1, and those where its function begins, as in a CPU profile; 0 and '' where
 * there is none. Builtins have neither file nor position.
 * @typedef {[name: string, receiver: string, file: string, line: number, column: number, functionLine: number, functionColumn: number]} BlockedCall
 *
 * @typedef {{ atMicros: number, calls: string }} BlockedStack  calls: JSON of BlockedCall[], innermost first; '[]' where V8 gives no stack
 */

const MAX_CALLS = 64
const MAX_LENGTH = 300 // of names and files, each

/** @returns {BlockedStack} */
function readBlockedStack () {
  const atMicros = monotonicMicros()
  try {
    return { atMicros, calls: toJson(readCallSites(readBlockedStack, MAX_CALLS).map(describeCall)) }
  } catch {
    return { atMicros, calls: '[]' }
  }
}

/**
 * No getMethodName() and no toString(): both search all properties of the receiver.
 * @param {any} site  getEnclosingLineNumber() and getEnclosingColumnNumber() are not in the types; Node 20 to 26 have them
 * @returns {BlockedCall}
 */
function describeCall (site) {
  const file = bound(site.getScriptNameOrSourceURL() ?? '')
  const name = bound(site.getFunctionName() ?? '')
  // Lines of Node's own files are not needed.
  if (file.startsWith('node:')) return [name, '', file, 0, 0, 0, 0]
  return [
    name,
    bound(site.getTypeName() ?? ''),
    file,
    site.getLineNumber() ?? 0,
    site.getColumnNumber() ?? 0,
    site.getEnclosingLineNumber() ?? 0,
    site.getEnclosingColumnNumber() ?? 0
  ]
}

/** @param {string} text */
function bound (text) {
  return text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH)
}

module.exports = { readBlockedStack }
