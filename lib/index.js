'use strict'

// The public face: names only.

const { diagnostics, createDiagnostics, createClock } = require('./api/diagnostics')

module.exports = diagnostics
module.exports.default = diagnostics
module.exports.diagnostics = diagnostics
module.exports.createDiagnostics = createDiagnostics
module.exports.createClock = createClock
