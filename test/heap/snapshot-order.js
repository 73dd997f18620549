'use strict'

// What a heap snapshot is asked for with where nobody says otherwise, with redaction.

const { DEFAULTS: GUARD } = require('../../lib/heap/guard')
const { DEFAULTS: ENGINE } = require('../../lib/heap/snapshot-engines')

const PLAIN = Object.freeze({ redact: 'values', hasPseudonyms: false, force: false, ...ENGINE, ...GUARD })

module.exports = { PLAIN }
