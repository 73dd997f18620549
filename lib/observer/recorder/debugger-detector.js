'use strict'

// Detects whether a debugger is connected to the open inspector. Node keeps the port open after the debugger has left, and neither Node nor
// the HTTP responses of the port show the connections; on Linux, the system's table of connections does.
//
// A browser that only lists debugging targets (chrome://inspect) is connected for a moment each time.

const fs = require('node:fs')

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const LINE = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:[\dA-F]{4} ([\dA-F]{2}) /gm // local port, state
const ESTABLISHED = '01'

/**
 * @typedef {object} DebuggerStatus
 * @property {string} url  of the inspector
 * @property {string | null} reason  why no profiler that other sessions notice may be started; null: nobody is connected
 */

/** @param {readonly string[]} [tables]  of IPv4 and IPv6; a system may lack the second */
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
    if (lines === null) {
      return { url, reason: `the inspector is open at ${url}, and this system does not tell whether a debugger is connected` }
    }
    const isConnected = [lines, ...others.map(readOrNull)].some(text => hasConnection(text ?? '', port))
    return { url, reason: isConnected ? `a debugger is connected to ${url}` : null }
  }

  return {
    detect,
    /** Checks the inspector of the last call again. */
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
