'use strict'

// Defaults of the exact detector; options are checked against them where it is not loaded.

const DEFAULTS = Object.freeze({
  apis: Object.freeze(['*']), // every row of the table but those that are too common to be worth a report
  thresholdMs: 1, // a call this long is always looked at: its stack costs a twentieth of it at most
  flagMsPerSecond: 10, // 1 % of the loop's time
  flagCallsPerSecond: 10_000 // Date.now: a millisecond a second where the clock is slow
})

module.exports = { DEFAULTS }
