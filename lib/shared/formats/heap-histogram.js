'use strict'

// The table of formats of a heap histogram: how many objects there are of each constructor. Pure.

const { localTimeWithZone } = require('../base/local-time')

/** @import { EncodeContext } from '../../../types/profile' */

/**
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

const MAX_ROWS = 50
const LIMITS = 'Counts only: no sizes, nor who holds them; objects without a prototype, proxies, strings and numbers are not counted.'

const HISTOGRAM_FORMATS = Object.freeze({
  json: {
    extension: 'json',
    contentType: 'application/json; charset=utf-8',
    encode: (/** @type {HeapHistogram} */ histogram) => Buffer.from(JSON.stringify(histogram))
  },
  text: { extension: 'txt', contentType: 'text/plain; charset=utf-8', encode: encodeText }
})

/**
 * @param {HeapHistogram} histogram
 * @param {Pick<EncodeContext, 'title'>} [context]
 */
function encodeText ({ total, classes, pauseMs, heapUsedBytes, takenAt }, { title = 'heap histogram' } = {}) {
  const heap = `heap ${(heapUsedBytes / 1e6).toFixed(1)} MB`
  const lines = [
    title,
    `${localTimeWithZone(takenAt)}: ${total.toLocaleString('en')} objects, ${heap}, the process stood still for ${pauseMs} ms`,
    LIMITS,
    '',
    '     count  constructor',
    ...classes.slice(0, MAX_ROWS).map(({ name, count }) => `${String(count).padStart(10)}  ${name.replaceAll(/\p{Cc}/gu, '\uFFFD')}`),
    ...(classes.length > MAX_ROWS ? [`${classes.length - MAX_ROWS} more`] : [])
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

module.exports = { HISTOGRAM_FORMATS }
