'use strict'

// A process that has lived for a moment: one that ends at once, as commands do that run with a preload, is spared what only a longer
// life needs.

const { guarded } = require('../../shared/base/guard')
const { setTimeout } = require('../../shared/base/timers')

// An application that is still being loaded then is asked in the first turn of its loop, before it takes a connection.
const SETTLE_MS = 50

/** @param {() => void} call */
function whenSettled (call) {
  setTimeout(guarded(call), SETTLE_MS).unref()
}

module.exports = { whenSettled }
