'use strict'

// Detects whether a debugger is connected to the open inspector. Node keeps the port open after the debugger has left, and neither Node nor
// the HTTP responses of the port show the connections; on Linux, the system's table of connections does.
//
// A browser that only lists debugging targets (chrome://inspect) is connected for a moment each time.

const fs = require('node:fs')
const { attempt } = require('../../base/guard')
const { STATES, TCP_TABLES, parseTcpTable } = require('../../base/system/tcp-table')

/**
 * @typedef {object} DebuggerStatus
 * @property {string} url  of the inspector
 * @property {string | null} reason  why no profiler that other sessions notice may be started; null: nobody is connected
 */

/** @param {readonly string[]} [tables]  of IPv4 and IPv6; a system may lack the second */
function createDebuggerDetector ([first, ...others] = TCP_TABLES) {
  /** @type {string | undefined} */
  let lastUrl

  /**
   * @param {string} url  of the inspector
   * @returns {DebuggerStatus}
   */
  function detect (url) {
    lastUrl = url
    const port = Number(new URL(url).port || 80)
    const table = readOrNull(first)
    if (table === null) {
      return { url, reason: `the inspector is open at ${url}, and this system does not tell whether a debugger is connected` }
    }
    const isConnected = [table, ...others.map(readOrNull)].some(text => hasConnection(text ?? '', port))
    return { url, reason: isConnected ? `a debugger is connected to ${url}` : null }
  }

  return {
    detect,
    /** Checks the inspector of the last call again. */
    detectAgain: () => lastUrl === undefined ? undefined : detect(lastUrl)
  }
}

/** @param {string} table @param {number} port */
function hasConnection (table, port) {
  return parseTcpTable(table).some(({ localPort, state }) => state === STATES.established && localPort === port)
}

/** @param {string} file */
function readOrNull (file) {
  return attempt(() => fs.readFileSync(file, 'latin1'), null)
}

module.exports = { createDebuggerDetector }
