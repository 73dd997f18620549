'use strict'

// Finds modules that the application has loaded; it never loads one.

const Module = require('node:module')

/** @param {RegExp} file @returns {any[]} their exports, one for each copy */
function loadedExports (file) {
  // Not require.cache: it is the same object where it exists, but in a bundle there is none.
  const cache = /** @type {any} */ (Module)._cache ?? {}
  return Object.keys(cache).filter(name => file.test(name)).map(name => cache[name]?.exports)
}

/** @param {RegExp} file */
function isLoaded (file) {
  return loadedExports(file).length > 0
}

module.exports = { loadedExports, isLoaded }
