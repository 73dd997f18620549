'use strict'

// The table of formats. A new format is one file, one row here and one test. `sources`: what people read names the code as it was written;
// what tools read names the code that ran, unless it is asked for otherwise: they may have source maps of their own.

/** @import { Format, FormatName } from '../../../types/profile' */

// Encoders are required when first used: a process that never draws a flame graph does not pay for one.
/** @type {Readonly<Record<FormatName, Format>>} */
const FORMATS = Object.freeze({
  cpuprofile: {
    extension: 'cpuprofile',
    contentType: 'application/json; charset=utf-8',
    sources: 'generated',
    encode: profile => require('./cpuprofile').encodeCpuProfile(profile)
  },
  pprof: {
    extension: 'pb.gz',
    contentType: 'application/octet-stream',
    sources: 'generated',
    encode: (profile, context) => require('./pprof').encodePprof(profile, { ...context, lines: [] }) // tools show both
  },
  flamegraph: {
    extension: 'html',
    contentType: 'text/html; charset=utf-8',
    sources: 'original',
    encode: (profile, context) => require('./flamegraph').encodeFlameGraph(profile, context)
  },
  text: {
    extension: 'txt',
    contentType: 'text/plain; charset=utf-8',
    sources: 'original',
    encode: (profile, context) => require('./text').encodeText(profile, context)
  }
})

/** Whose places a profile can have: those of the code as it was written, or of the code that ran. */
const SOURCES = Object.freeze(/** @type {const} */ (['original', 'generated']))

module.exports = { FORMATS, SOURCES }
