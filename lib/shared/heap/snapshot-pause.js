'use strict'

// How long a heap snapshot stops its process, before anything was measured on this machine.

const PAUSE_MS_PER_MB = 100 // measured 50 to 120, and 190 under CPU contention

module.exports = { PAUSE_MS_PER_MB }
