'use strict'

// Whether a debugger is connected to the open inspector. Node keeps the port open when the debugger has left, and neither it nor
// the port's own HTTP responses show who is there: the system's table of connections does, on Linux.
//
// A browser that only lists what could be debugged (chrome://inspect) is connected for a moment each time.

const fs = require('node:fs')

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const LINE = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:[\dA-F]{4} ([\dA-F]{2}) /gm // local port, state
const ESTABLISHED = '01'

/**
 * @typedef {object} DebuggerStatus
 * @property {string} url  of the inspector
 * @property {boolean | null} isConnected  null: this system does not tell
 */

/** @param {readonly string[]} [tables]  of the two protocols; a system may lack the second */
function createDebuggerDetector ([first, ...others] = TABLES) {
  /** @type {string | undefined} */
  let lastUrl

  /**
   * @param {string} url  of the inspector
   * @returns {DebuggerStatus}
   */
  function detect (url) {
    lastUrl = url
    const port = Number(new URL(url).port || 80)
    const lines = readOrNull(first)
    const isConnected = lines === null ? null : [lines, ...others.map(readOrNull)].some(text => hasConnection(text ?? '', port))
    return { url, isConnected }
  }

  return {
    detect,
    /** Of the inspector that was last asked about. */
    detectAgain: () => lastUrl === undefined ? undefined : detect(lastUrl)
  }
}

/**
 * @param {string} lines
 * @param {number} port
 */
function hasConnection (lines, port) {
  return [...lines.matchAll(LINE)].some(([, localPort, state]) => state === ESTABLISHED && Number.parseInt(localPort, 16) === port)
}

/** @param {string} file */
function readOrNull (file) {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

module.exports = { createDebuggerDetector }
