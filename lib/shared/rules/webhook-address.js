'use strict'

// Where a webhook goes. Its path, its query and its headers are often secrets: nothing that is shown or thrown holds them. Pure.

const { validateHeaderName, validateHeaderValue } = require('node:http')
const { assertPlainObject, refuse } = require('../base/validate')

// Those that say where a message ends.
const OWN_HEADERS = Object.freeze(['content-length', 'content-type', 'host', 'transfer-encoding', 'connection'])

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkUrl (path, value) {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isMeant = url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  if (!isMeant) refuse(path, 'an http or https URL without user and password', typeof value === 'string' ? 'another string' : value)
}

/**
 * @param {string} path
 * @param {unknown} headers
 */
function checkHeaders (path, headers) {
  assertPlainObject(path, headers)
  for (const [name, value] of Object.entries(/** @type {object} */ (headers))) {
    if (!isHeader(name, value)) refuse(`${path}.${name}`, `a header with a text as its value, none of ${OWN_HEADERS.join(', ')}`, 'something else')
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function isHeader (name, value) {
  if (typeof value !== 'string' || OWN_HEADERS.includes(name.toLowerCase())) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** @param {string} url */
function showUrl (url) {
  return new URL(url).origin
}

module.exports = { checkHeaders, checkUrl, showUrl }
