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
async function recordHeapHistogram ({ format }, { instruments, signal, onProgress, context }) {
  onProgress({ stage: 'counting' })
  const histogram = await instruments.heapHistogram.take(signal)
  const { extension, contentType, encode } = HISTOGRAM_FORMATS[/** @type {keyof typeof HISTOGRAM_FORMATS} */ (format)]
  return { bytes: encode(histogram, context), extension, contentType, from: histogram.takenAt, to: histogram.takenAt + histogram.pauseMs, shortened: null }
}

module.exports = { recordHeapHistogram }
