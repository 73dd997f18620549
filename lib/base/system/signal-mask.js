'use strict'

// Parses the signal sets of a process in /proc/<pid>/status on Linux, such as SigCgt.

const os = require('node:os')

/**
 * @param {string} mask  hexadecimal, as it stands there
 * @param {NodeJS.Signals} signal
 * @returns {boolean}
 * @throws SyntaxError where it is no number
 */
function hasSignal (mask, signal) {
  return (BigInt(`0x${mask}`) >> BigInt(os.constants.signals[signal] - 1) & 1n) === 1n
}

module.exports = { hasSignal }
