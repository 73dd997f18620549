'use strict'

// Formats sizes and counts. It requires nothing, because the pages load this file as a script (html-page.js).

const UNITS = Object.freeze(['B', 'kB', 'MB', 'GB', 'TB'])

/** @param {number} bytes */
function showBytes (bytes) {
  const size = Math.abs(bytes)
  const unit = Math.min(UNITS.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3))
  return `${(bytes / 1000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}

/** @param {number} bytes */
function showChange (bytes) {
  return bytes > 0 ? `+${showBytes(bytes)}` : showBytes(bytes)
}

/** @param {number} count */
function showCount (count) {
  return count.toLocaleString('en')
}

module.exports = { showBytes, showChange, showCount }
