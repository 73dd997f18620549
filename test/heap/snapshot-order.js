'use strict'

// What a heap snapshot is asked for with where nobody says otherwise, with redaction.

const { SNAPSHOT: GUARD } = require('../../lib/shared/heap/defaults')
const { DEFAULTS: ENGINE } = require('../../lib/main/heap/snapshot-engines')

const PLAIN = Object.freeze({ redact: 'values', hasPseudonyms: false, force: false, ...ENGINE, ...GUARD })

module.exports = { PLAIN }
