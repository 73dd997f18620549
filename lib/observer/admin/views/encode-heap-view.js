'use strict'

// Sampled allocations as an answer, in any format, without a file being written.

const { createResponse } = require('../../../shared/admin/responses')
const { HEAP_FORMATS } = require('../../../shared/formats/heap-profile')

/** @import { HeapProfile } from '../../../shared/formats/heap-profile' */
/** @import { Sources } from '../router' */

/**
 * @param {Sources} sources
 * @param {HeapProfile} profile
 * @param {object} how
 * @param {string} [how.format]
 * @param {string} [how.sources]  whose places; those that the format usually has
 * @param {string} how.name       of the file a browser would save, without its ending
 * @param {string} how.title
 * @param {string[]} [how.notes]
 * @param {Record<string, string>} [how.headers]
 */
async function encodeHeapView (sources, profile, { format = 'heapprofile', sources: places, name, title, notes = [], headers = {} }) {
  const { extension, contentType, sources: usualPlaces, encode } = HEAP_FORMATS[/** @type {keyof typeof HEAP_FORMATS} */ (format)]
  const shown = (places ?? usualPlaces) === 'original' ? await sources.toWrittenHeap(profile) : profile
  return createResponse(200, encode({ ...shown, mode: profile.mode }, sources.context(title, notes)), {
    ...headers,
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}.${extension}"`
  })
}

module.exports = { encodeHeapView }
