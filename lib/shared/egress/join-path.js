'use strict'

// The address of a server and the path that a protocol has there; whoever has written the path as well does not get it twice.

/**
 * @param {string} address
 * @param {string} path
 * @returns {URL}
 */
function joinPath (address, path) {
  const url = new URL(address)
  const base = url.pathname.replace(/\/+$/, '')
  url.pathname = base.endsWith(path) ? base : base + path
  return url
}

module.exports = { joinPath }
