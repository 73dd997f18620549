'use strict'

// The folder of each destination's queue, in the store of the application: the next process with the same destination finds what was left.

const { createHash } = require('node:crypto')
const path = require('node:path')
const { withoutSecrets } = require('../sending/url-secrets')

/** @import { DestinationSettings } from '../destination' */

const KEY_DIGITS = 12

/**
 * @param {string} storeDir
 * @param {readonly DestinationSettings[]} destinations
 * @returns {string[]} no two are the same
 */
function queueFolders (storeDir, destinations) {
  const keys = destinations.map(({ to, url }) => JSON.stringify([to, withoutSecrets(url)]))
  return keys.map((key, at) => {
    const number = keys.slice(0, at).filter(other => other === key).length
    return path.join(storeDir, 'egress', createHash('sha256').update(`${key}${number}`).digest('hex').slice(0, KEY_DIGITS))
  })
}

module.exports = { queueFolders }
