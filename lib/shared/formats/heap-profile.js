'use strict'

// The table of formats of a heap profile: sampled allocations by stack. A new format is one row here and one test. `sources`: as in formats.js.

/** @import { EncodeContext, Format } from '../../../types/profile' */
/** @import { HeapSampling } from './profile/heap-tree' */

/**
 * @typedef {HeapSampling & { mode: 'live' | 'all' }} HeapProfile  what is still alive, or all that was allocated
 * @typedef {Pick<HeapSampling, 'profile' | 'before'> & Partial<HeapProfile>} ReadProfile  that of a file does not tell more
 *
 * @typedef {Pick<EncodeContext, 'appRoot' | 'title' | 'notes'>} HeapContext
 *
 * @typedef {object} HeapFormat
 * @property {string} extension
 * @property {string} contentType
 * @property {Format['sources']} sources
 * @property {(profile: HeapProfile, context?: HeapContext) => Buffer} encode
 */

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
    encode: (/** @type {HeapProfile} */ profile, /** @type {HeapContext} */ context = {}) =>
      require('./pprof').encodeHeapPprof({ ...profile, kind: profile.mode === 'all' ? 'alloc' : 'inuse' }, context)
  },
  flamegraph: {
    extension: 'html',
    contentType: 'text/html; charset=utf-8',
    sources: 'original',
    encode: (/** @type {ReadProfile} */ profile, /** @type {HeapContext} */ context = {}) => require('./heap-profile-shown').encodeHeapGraph(profile, context)
  },
  text: {
    extension: 'txt',
    contentType: 'text/plain; charset=utf-8',
    sources: 'original',
    encode: (/** @type {ReadProfile} */ profile, /** @type {HeapContext} */ context = {}) => require('./heap-profile-shown').encodeHeapText(profile, context)
  }
})

module.exports = { HEAP_FORMATS }
