'use strict'

// Which part of a file a request wants (RFC 9110, one range of bytes).

/**
 * @param {unknown} range    the header
 * @param {unknown} ifRange  an ETag: another file than the client began with is sent whole
 * @param {string} etag
 * @param {number} bytes
 * @returns {{ start: number, end: number } | 'whole' | 'unsatisfiable'}
 */
function rangeOf (range, ifRange, etag, bytes) {
  if (typeof range !== 'string' || (ifRange !== undefined && ifRange !== etag)) return 'whole'
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.replaceAll(' ', '')) ?? []
  // Several ranges, and what is no range, may be ignored.
  if (first === undefined || (first === '' && last === '')) return 'whole'
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (start >= bytes || (first === '' && Number(last) === 0)) return 'unsatisfiable'
  return start > end ? 'whole' : { start, end }
}

module.exports = { rangeOf }
