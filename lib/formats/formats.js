'use strict'

// The tables of formats: for a CPU profile, a heap profile and a heap histogram. A new format is one file, one row here and one test. `sources`:
// formats for people show original code; formats for tools show the code that ran, unless requested otherwise, because tools may have source maps of
// their own.

const { localTimeWithZone } = require('../base/local-time')
const { printable } = require('../base/printable')

/** @import { EncodeContext, Format, FormatName } from '../../types/profile' */
/** @import { HeapSampling } from './profile/heap-tree' */

/**
 * @typedef {HeapSampling & { mode: 'live' | 'all' }} HeapProfile  what is still alive, or all that was allocated
 * @typedef {Pick<HeapSampling, 'profile' | 'before'> & Partial<HeapProfile>} ReadProfile  a file has no more members than these
 *
 * @typedef {Pick<EncodeContext, 'appRoot' | 'title' | 'notes'>} ShownContext
 *
 * @typedef {object} HeapHistogram
 * @property {'loopscope-heap-histogram'} type
 * @property {1} version
 * @property {number} pid
 * @property {string} nodeVersion
 * @property {number} takenAt  milliseconds since the epoch
 * @property {number} pauseMs  for which the main thread stood still, and a little more
 * @property {number} heapUsedBytes
 * @property {number} total
 * @property {{ name: string, count: number }[]} classes  the most first; `_other` at the end stands for those that are too many
 */

const MAX_HISTOGRAM_ROWS = 50
const HISTOGRAM_LIMITS = 'Counts only: no sizes, nor who holds them; objects without a prototype, proxies, strings and numbers are not counted.'

// Encoders are required when first used: a process that never draws a flame graph does not pay for one.
/** @type {Readonly<Record<FormatName, Format>>} */
const FORMATS = Object.freeze({
  cpuprofile: {
    extension: 'cpuprofile',
    contentType: 'application/json; charset=utf-8',
    sources: 'generated',
    encode: (profile, context) => require('./cpuprofile').encodeCpuProfile(profile, context)
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
  },
  trace: {
    extension: 'json',
    contentType: 'application/json; charset=utf-8',
    sources: 'original',
    encode: (profile, context) => require('./trace').encodeTrace(profile, context)
  }
})

/** Whose places a profile can have: those of the code as it was written, or of the code that ran. */
const SOURCES = Object.freeze(/** @type {const} */ (['original', 'generated']))

/** Of sampled allocations by stack. */
const HEAP_FORMATS = Object.freeze({
  heapprofile: {
    extension: 'heapprofile',
    contentType: 'application/json; charset=utf-8',
    sources: 'generated',
    encode: (/** @type {HeapProfile} */ profile) => {
      const { stringify, subtract } = require('./profile/heap-tree')
      return Buffer.from(stringify(subtract(profile)))
    }
  },
  pprof: {
    extension: 'pb.gz',
    contentType: 'application/octet-stream',
    sources: 'generated',
    encode: (/** @type {HeapProfile} */ profile, /** @type {ShownContext} */ context = {}) =>
      require('./pprof').encodeHeapPprof({ ...profile, kind: profile.mode === 'all' ? 'alloc' : 'inuse' }, context)
  },
  flamegraph: {
    extension: 'html',
    contentType: 'text/html; charset=utf-8',
    sources: 'original',
    encode: (/** @type {ReadProfile} */ profile, /** @type {ShownContext} */ context = {}) => require('./heap-profile-shown').encodeHeapGraph(profile, context)
  },
  text: {
    extension: 'txt',
    contentType: 'text/plain; charset=utf-8',
    sources: 'original',
    encode: (/** @type {ReadProfile} */ profile, /** @type {ShownContext} */ context = {}) => require('./heap-profile-shown').encodeHeapText(profile, context)
  }
})

/** Of how many objects there are of each constructor. */
const HISTOGRAM_FORMATS = Object.freeze({
  json: {
    extension: 'json',
    contentType: 'application/json; charset=utf-8',
    encode: (/** @type {HeapHistogram} */ histogram) => Buffer.from(JSON.stringify(histogram))
  },
  text: { extension: 'txt', contentType: 'text/plain; charset=utf-8', encode: encodeHistogramText }
})

/** @param {HeapHistogram} histogram @param {Pick<EncodeContext, 'title'>} [context] */
function encodeHistogramText ({ total, classes, pauseMs, heapUsedBytes, takenAt }, { title = 'heap histogram' } = {}) {
  const heap = `heap ${(heapUsedBytes / 1e6).toFixed(1)} MB`
  const lines = [
    title,
    `${localTimeWithZone(takenAt)}: ${total.toLocaleString('en')} objects, ${heap}, the process stood still for ${pauseMs} ms`,
    HISTOGRAM_LIMITS,
    '',
    '     count  constructor',
    ...classes.slice(0, MAX_HISTOGRAM_ROWS).map(({ name, count }) => `${String(count).padStart(10)}  ${printable(name)}`),
    ...(classes.length > MAX_HISTOGRAM_ROWS ? [`${classes.length - MAX_HISTOGRAM_ROWS} more`] : [])
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

module.exports = { FORMATS, HEAP_FORMATS, HISTOGRAM_FORMATS, SOURCES }
