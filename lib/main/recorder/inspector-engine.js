'use strict'

// The default engine: V8's console profiles through the inspector, built in. Only the main thread's half: the observer's
// session receives the windows.

const { inspector } = require('../process/inspector')

/** @import { Engine } from './engines' */

/** @returns {Engine} */
function createInspectorEngine () {
  const profiler = /** @type {typeof import('node:inspector')} */ (inspector).console
  let open = ''
  return {
    open (title) {
      profiler.profile(title)
      open = title
    },
    rotate (nextTitle) {
      profiler.profile(nextTitle)
      profiler.profileEnd(open)
      open = nextTitle
      return null
    },
    close () {
      if (open !== '') profiler.profileEnd(open)
      open = ''
      return null
    }
  }
}

module.exports = { createInspectorEngine }
