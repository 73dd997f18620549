'use strict'

// Modules that the application has loaded: looked for, never loaded.

const Module = require('node:module')

/**
 * @param {RegExp} file
 * @returns {any[]} what they export, one for each copy
 */
function loadedExports (file) {
  // Not require.cache, which is the same where there is one: in a bundle there is none.
  const cache = /** @type {any} */ (Module)._cache ?? {}
  return Object.keys(cache).filter(name => file.test(name)).map(name => cache[name]?.exports)
}

/** @param {RegExp} file */
function isLoaded (file) {
  return loadedExports(file).length > 0
}

module.exports = { loadedExports, isLoaded }
