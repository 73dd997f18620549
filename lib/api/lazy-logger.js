'use strict'

// The lazy logger of a preload: created with its first line, or once the process has lived for a moment. Not later: an application may do to Error, or to
// its files, what keeps pino from being loaded.

const { guarded } = require('../base/guard')
const { makeLogger } = require('../shared/default-logger')

/** @import { Logger } from '../../types/diagnostics' */

const SILENT = Object.freeze({ info () {}, warn () {}, error () {} })

/**
 * @param {Parameters<typeof makeLogger>[0]} options
 * @returns {Logger & { make (): void }}
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
    make: () => { made() },
    info: (...values) => made().info(...values),
    warn: (...values) => made().warn(...values),
    error: (...values) => made().error(...values)
  }
}

module.exports = { createLazyLogger }
