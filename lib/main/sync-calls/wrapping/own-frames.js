'use strict'

// Takes our frames out of the stack of an error that went through a wrapper.

const path = require('node:path')
const { OWN_FOLDER } = require('../../../shared/base/own-files')

const FOLDER = OWN_FOLDER + path.join('main', 'sync-calls', path.sep)
const FRAME = /^\s+at /

/**
 * @param {unknown} error  anything that can be thrown
 * @returns {unknown} the same error; the one frame of ours took the place of one at the other end of the stack
 */
function withoutOwnFrames (error) {
  try {
    if (!(error instanceof Error)) return error
    const stack = /** @type {unknown} */ (error.stack)
    if (typeof stack === 'string') {
      if (stack.includes(FOLDER)) error.stack = withoutOwnLines(stack)
    } else if (Array.isArray(stack)) { // Error.prepareStackTrace of the application's own
      error.stack = /** @type {any} */ (stack.filter(frame => !frame?.getFileName?.()?.startsWith(FOLDER)))
    }
  } catch {} // a frozen error, a stack with a getter that throws: it stays as it is
  return error
}

/** @param {string} stack */
function withoutOwnLines (stack) {
  return stack.split('\n').filter(line => !(FRAME.test(line) && line.includes(FOLDER))).join('\n')
}

module.exports = { withoutOwnFrames }
