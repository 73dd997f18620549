'use strict'

// What a heap snapshot is asked for with where nobody says otherwise, with redaction.

const { resolveOptions } = require('../../lib/api/options/resolve-options')

const PLAIN = Object.freeze({ redact: 'values', hasPseudonyms: false, force: false, ...resolveOptions({}, {}).heap })

module.exports = { PLAIN }
