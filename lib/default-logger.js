'use strict'

// Where our lines go when the application gives no logger, or cannot write.

/** @import { Logger } from '../types/diagnostics' */

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * @param {{ fd?: number, isSync?: boolean }} [options]  isSync: written when the call returns
 * @returns {Logger}
 */
function makeLogger ({ fd = STANDARD_OUTPUT, isSync = false } = {}) {
  const pino = require('pino')
  return pino({ name: 'loopscope' }, pino.destination({ dest: fd, sync: isSync }))
}

module.exports = { makeLogger, STANDARD_ERROR }
