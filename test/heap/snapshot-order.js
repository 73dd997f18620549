'use strict'

// What a heap snapshot is asked for with where nobody says otherwise, with redaction.

const { DEFAULTS } = require('../../lib/main/heap/snapshot-engines')

const PLAIN = Object.freeze({ redact: 'values', hasPseudonyms: false, force: false, ...DEFAULTS })

module.exports = { PLAIN }
