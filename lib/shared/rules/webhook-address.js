'use strict'

// Where a webhook goes. Its path, its query and its headers are often secrets: nothing that is shown or thrown holds them. Pure.

const { isHeader } = require('../base/http-header')
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
    if (OWN_HEADERS.includes(name.toLowerCase()) || !isHeader(name, value)) refuse(`${path}.${name}`, `a header with a text as its value, none of ${OWN_HEADERS.join(', ')}`, 'something else')
  }
}

/** @param {string} url */
function showUrl (url) {
  return new URL(url).origin
}

module.exports = { checkHeaders, checkUrl, showUrl }
