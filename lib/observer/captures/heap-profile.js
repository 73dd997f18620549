'use strict'

// The kind 'heap-profile': sampled allocations by stack, encoded. One sampler serves all who ask.

const { HEAP_FORMATS } = require('../../shared/formats/heap-profile')

/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { Product, Tools } from './recorders' */

/**
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapProfile ({ mode = 'live', seconds = 0, format, sources: places }, { sources, trigger, signal, stop, context, onProgress }) {
  onProgress({ stage: 'sampling' })
  const sampling = await sources.heapSampler.sample({ mode, seconds: seconds === 0 ? null : seconds }, signal, stop)
  const { extension, contentType, sources: usualPlaces, encode } = HEAP_FORMATS[/** @type {keyof typeof HEAP_FORMATS} */ (format)]
  const isWritten = (places ?? usualPlaces) === 'original'
  const isOfRule = trigger === 'rule' // which may send it to a backend that takes profiles and no files
  const written = isWritten || isOfRule ? await sources.sourceMaps.heapSampling(sampling, { isAsked: true }) : sampling
  const bytes = encode({ ...(isWritten ? written : sampling), mode }, context)
  const heapProfile = isOfRule ? { ...written, mode } : undefined
  return { bytes, extension, contentType, from: sampling.fromMs, to: sampling.toMs, shortened: null, heapProfile }
}

module.exports = { recordHeapProfile }
