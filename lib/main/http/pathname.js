'use strict'

// The path of a request, without its query.

/**
 * @param {any} request
 * @returns {string} what was asked for, whatever a router has cut off since
 */
function pathnameOf (request) {
  return pathOf(request.originalUrl ?? request.url ?? '')
}

/** @param {unknown} url */
function pathOf (url) {
  const text = String(url)
  const end = text.indexOf('?')
  return end === -1 ? text : text.slice(0, end)
}

module.exports = { pathnameOf, pathOf }
