'use strict'

// The table of formats. A new format is one file, one row here and one test.

/** @import { Format, FormatName } from '../../../types/profile' */

// Encoders are required when first used: a process that never draws a flame graph does not pay for one.
/** @type {Readonly<Record<FormatName, Format>>} */
const FORMATS = Object.freeze({
  cpuprofile: {
    extension: 'cpuprofile',
    contentType: 'application/json; charset=utf-8',
    encode: profile => require('./cpuprofile').encodeCpuProfile(profile)
  },
  pprof: {
    extension: 'pb.gz',
    contentType: 'application/octet-stream',
    encode: (profile, context) => require('./pprof').encodePprof(profile, context)
  },
  flamegraph: {
    extension: 'html',
    contentType: 'text/html; charset=utf-8',
    encode: (profile, context) => require('./flamegraph').encodeFlameGraph(profile, context)
  },
  text: {
    extension: 'txt',
    contentType: 'text/plain; charset=utf-8',
    encode: (profile, context) => require('./text').encodeText(profile, context)
  }
})

module.exports = { FORMATS }
