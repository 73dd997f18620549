'use strict'

// The table of destinations that the option egress accepts, with their defaults. observer/egress/backends.js has the requests of each.

/**
 * @typedef {object} Destination
 * @property {number | false} everySeconds  how often a CPU profile is sent; false: only what is captured, and evidence
 * @property {boolean} takesGzip  its server reads a body with `Content-Encoding: gzip`
 * @property {boolean} takesProfiles  and no files, whose format may be any
 * @property {boolean} isTemplate  the path of its URL has places to fill in
 * @property {'PUT' | 'POST'} method
 * @property {string} path  that is added to its URL
 * @property {readonly string[]} parameters  that are added to its URL
 */

/** @typedef {keyof typeof DESTINATIONS} DestinationName */

const DESTINATIONS = Object.freeze({
  put: /** @type {Destination} */ ({ everySeconds: false, takesGzip: true, takesProfiles: false, isTemplate: true, method: 'PUT', path: '', parameters: [] }),
  pyroscope: /** @type {Destination} */ ({
    everySeconds: 15,
    takesGzip: false,
    takesProfiles: true,
    isTemplate: false,
    method: 'POST',
    path: '/ingest',
    parameters: ['name', 'from', 'until', 'spyName', 'sampleRate']
  }),
  otlp: /** @type {Destination} */ ({
    everySeconds: 15,
    takesGzip: true,
    takesProfiles: true,
    isTemplate: false,
    method: 'POST',
    path: '/v1development/profiles',
    parameters: []
  })
})

module.exports = { DESTINATIONS }
