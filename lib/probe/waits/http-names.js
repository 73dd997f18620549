'use strict'

// The names of the application's outgoing HTTP requests: methods and hosts, nothing else of a URL.

const { OTHER, toAddress } = require('./call-names')

const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'])
const PORTS = new Map(Object.entries({ 'http:': '80', 'https:': '443' }))

/** @param {unknown} method */
function toMethod (method) {
  const upper = String(method).toUpperCase()
  return METHODS.has(upper) ? upper : OTHER
}

/**
 * @param {string} origin  `scheme://host`, with or without a port
 * @returns {string} always with a port
 */
function toHost (origin) {
  const url = URL.canParse(origin) ? new URL(origin) : null
  if (url === null || url.hostname === '') return OTHER
  return toAddress(url.hostname.replace(/^\[|\]$/g, ''), url.port === '' ? PORTS.get(url.protocol) : url.port)
}

module.exports = { toHost, toMethod }
