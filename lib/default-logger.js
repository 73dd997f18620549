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
  /** @type {ReturnType<typeof pino.destination> | undefined} */
  let destination
  return pino({ name: 'loopscope' }, {
    write (line) {
      // Made with the first line: pino has one that nobody wrote to synced to the disk, too, when the process ends.
      destination ??= pino.destination({ dest: fd, sync: isSync })
      destination.write(line)
    }
  })
}

module.exports = { makeLogger, STANDARD_ERROR }
