'use strict'

// Where our lines go when the application gives no logger.

/** @import { Logger } from '../types/diagnostics' */

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * @param {number} [fd]
 * @returns {Logger}
 */
function makeLogger (fd = STANDARD_OUTPUT) {
  const pino = require('pino')
  return pino({ name: 'loopscope' }, pino.destination(fd))
}

module.exports = { makeLogger, STANDARD_ERROR }
