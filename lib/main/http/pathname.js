'use strict'

/**
 * @param {any} request
 * @returns {string} what was asked for, without the query, whatever a router has cut off since
 */
function pathnameOf (request) {
  const url = String(request.originalUrl ?? request.url ?? '')
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

module.exports = { pathnameOf }
