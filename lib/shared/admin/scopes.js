'use strict'

// What a token may do. Each scope includes those before it: samples of code leak less than a heap does.

/** @typedef {'metrics' | 'profile' | 'dump' | 'manage'} Scope */

/** @type {readonly Scope[]} */
const SCOPES = Object.freeze(['metrics', 'profile', 'dump', 'manage'])

/**
 * @param {Scope} granted
 * @param {Scope} wanted
 */
function includesScope (granted, wanted) {
  return SCOPES.indexOf(granted) >= SCOPES.indexOf(wanted)
}

module.exports = { SCOPES, includesScope }
