'use strict'

// Headers that an option says.

const { validateHeaderName, validateHeaderValue } = require('node:http')

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {boolean} whether HTTP allows it, and it is text
 */
function isHeader (name, value) {
  if (typeof value !== 'string') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

module.exports = { isHeader }
