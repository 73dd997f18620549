'use strict'

// The kind 'heap-histogram': how many objects there are of each constructor.

const { HISTOGRAM_FORMATS } = require('../../shared/formats/heap-histogram')

/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { Product, Tools } from './recorders' */

/**
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordHeapHistogram ({ format }, { sources, signal, onProgress, context }) {
  onProgress({ stage: 'counting' })
  const histogram = await sources.heapHistogram.take(signal)
  const { extension, contentType, encode } = HISTOGRAM_FORMATS[/** @type {keyof typeof HISTOGRAM_FORMATS} */ (format)]
  const { takenAt, pauseMs } = histogram
  return { bytes: encode(histogram, context), extension, contentType, from: takenAt, to: takenAt + pauseMs, shortened: null }
}

module.exports = { recordHeapHistogram }
