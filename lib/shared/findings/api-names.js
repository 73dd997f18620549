'use strict'

// The whole name of a synchronous API, as people write it, from the function at the bottom of a stack: `pbkdf2Sync` is
// `crypto.pbkdf2Sync`. Pure.

const MODULES = Object.freeze({
  fs: require('node:fs'),
  crypto: require('node:crypto'),
  zlib: require('node:zlib'),
  child_process: require('node:child_process')
})
// Synchronous although no name says so.
const OTHERS = new Set(['randomBytes', 'randomInt', 'sign', 'verify', 'hash', 'diffieHellman', 'createDiffieHellman'])
const WITHOUT_MODULE = new Set(['Atomics.wait', 'zlib.*Sync'])

/**
 * @param {string | null} call
 * @returns {string | null} null where it is none
 */
function apiOf (call) {
  if (call === null) return null
  if (WITHOUT_MODULE.has(call)) return call
  const name = /** @type {string} */ (call.split('.').at(-1))
  if (!name.endsWith('Sync') && !OTHERS.has(name)) return null
  const [module] = Object.entries(MODULES).find(([, exported]) => Object.hasOwn(exported, name)) ?? []
  return module === undefined ? null : `${module}.${name}`
}

module.exports = { apiOf }
