'use strict'

// Where an item that was read from disk may be sent to: only to an address that its destination, as the option has it now, makes. Whoever can
// write the file does not get the secrets of the option, which are added when it is sent. Pure.

const { DESTINATIONS } = require('./destinations')
const { joinPath } = require('./join-path')
const { isFilled } = require('./url-template')

/** @import { DestinationName } from './destinations' */

/**
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

module.exports = { addressOf }
