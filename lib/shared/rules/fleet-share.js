'use strict'

// Which processes of a fleet act, where not all shall: every n-th, by chance, and always the same. Pure.

const { createHash } = require('node:crypto')

/**
 * @param {number} everyNth
 * @param {string} identity  of the process in the fleet
 */
function isChosen (everyNth, identity) {
  return createHash('sha256').update(identity).digest().readUInt32BE(0) % everyNth === 0
}

module.exports = { isChosen }
