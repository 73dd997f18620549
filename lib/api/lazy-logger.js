'use strict'

// The default logger. pino is loaded with its first line: many processes never log one.

const { guarded } = require('../base/guard')
const { makeLogger } = require('../shared/default-logger')

/** @import { Logger } from '../../types/diagnostics' */

const SILENT = Object.freeze({ info () {}, warn () {}, error () {} })

/**
 * @param {Parameters<typeof makeLogger>[0]} [options]
 * @returns {Logger}
 */
function createLazyLogger (options) {
  // pino will listen for the exit of the process; code that counts those listeners must not find another one later.
  const placeholder = guarded(() => {})
  process.on('exit', placeholder)
  /** @type {Logger | undefined} */
  let logger

  /** @returns {Logger} */
  function made () {
    if (logger !== undefined) return logger
    try {
      logger = makeLogger(options)
    } catch {
      return SILENT // the application has removed or replaced the files, as tests do
    }
    process.off('exit', placeholder)
    return logger
  }

  return {
    info: (...values) => made().info(...values),
    warn: (...values) => made().warn(...values),
    error: (...values) => made().error(...values)
  }
}

module.exports = { createLazyLogger }
