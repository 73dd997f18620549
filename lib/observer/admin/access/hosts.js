'use strict'

// Whether a request was meant for us: a page of another site can have a browser send requests here, and can give its own
// name our address (DNS rebinding). The Host header tells, and what browsers say of where a request comes from.

const net = require('node:net')

const OWN_SITES = ['same-origin', 'none']

/**
 * @param {unknown} host  the header
 * @param {readonly string[]} allowed  names beside addresses and localhost
 */
function isHostAllowed (host, allowed) {
  if (typeof host !== 'string') return false
  const name = hostName(host)
  // net.isIP takes no octal, no short form and no name that only looks like an address.
  return name !== null && (name === 'localhost' || net.isIP(name) !== 0 || allowed.some(one => one.toLowerCase() === name))
}

/**
 * @param {string} host  `name`, `name:port`, `[::1]:port`
 * @returns {string | null}
 */
function hostName (host) {
  const [, ipv6, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host) ?? []
  return (ipv6 ?? name)?.toLowerCase() ?? null
}

/**
 * @param {Record<string, string | string[] | undefined>} headers
 * @param {{ isEncrypted: boolean }} request
 */
function isOwnOrigin ({ origin, host, 'sec-fetch-site': site }, { isEncrypted }) {
  if (site !== undefined && !OWN_SITES.includes(String(site))) return false
  if (origin === undefined) return true
  // Behind a proxy that ends TLS the page is https and we are not: the host must be the same, the scheme may be better.
  const schemes = isEncrypted ? ['https'] : ['http', 'https']
  return schemes.some(scheme => origin === `${scheme}://${host}`)
}

module.exports = { isHostAllowed, isOwnOrigin }
