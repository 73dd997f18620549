'use strict'

// Addresses of egress: a URL with placeholders (`https://bucket.example/{service}/{host}/{file}`), or the URL of a server, to which the path of its
// protocol is added. Pure.

const { DESTINATIONS } = require('./destinations')
const { URL, URLSearchParams } = require('../../base/globals')

/** @import { DestinationName } from './destinations' */

const PLACES = Object.freeze(['service', 'pid', 'host', 'kind', 'file', 'time'])
const FILLED = "[\\w.!~*'()%-]*" // what encodeURIComponent() leaves
const PLACE = /\{([^{}]*)\}/g

/** @param {string} template @returns {string[]} the names of unknown placeholders */
function unknownPlaces (template) {
  return [...template.matchAll(PLACE)].map(([, name]) => name).filter(name => !PLACES.includes(name))
}

/** @param {string} template @param {Record<string, string>} values  of all places */
function fillTemplate (template, values) {
  return template.replace(PLACE, (_, name) => encodeURIComponent(values[name]))
}

/**
 * Whether the template can have become this URL: only its places differ, and none of them leads out of its folder.
 * @param {string} template  without a query
 * @param {string} url
 */
function isFilled (template, url) {
  const pattern = template.split(/\{[^{}]*\}/).map(escaped).join(FILLED)
  if (!new RegExp(`^${pattern}$`).test(url) || !URL.canParse(url)) return false
  const any = fillTemplate(template, Object.fromEntries(PLACES.map(name => [name, 'x'])))
  return depthOf(url) === depthOf(any)
}

/** @param {string} text */
function escaped (text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** @param {string} url */
function depthOf (url) {
  return new URL(url).pathname.split('/').length
}

/**
 * The address of a server with the path of a protocol; the path is not added twice if the address already has it.
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

/**
 * Where an item that was read from disk may be sent to: only to an address that its destination, as the option has it now, makes. Whoever can write
 * the file does not get the secrets of the option, which are added when it is sent.
 * @param {{ to: DestinationName, url: string }} destination  url: without secrets
 * @param {string} url  of the item
 * @returns {string | null} null: it is none of this destination's
 */
function addressOf ({ to, url: configured }, url) {
  const { isTemplate, path, parameters } = DESTINATIONS[to]
  if (isTemplate) return isFilled(configured, url) ? url : null
  const address = joinPath(configured, path).href
  const [given, query = ''] = url.split('?')
  const own = new URLSearchParams(query)
  if (given !== address || [...own.keys()].some(name => !parameters.includes(name))) return null
  return own.size === 0 ? address : `${address}?${own}`
}

module.exports = { addressOf, fillTemplate, joinPath, PLACES, unknownPlaces }
