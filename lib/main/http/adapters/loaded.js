'use strict'

// Modules that the application has loaded: looked for, never loaded.

/**
 * @param {RegExp} file
 * @returns {any[]} what they export, one for each copy
 */
function loadedExports (file) {
  const { cache } = require
  return Object.keys(cache).filter(name => file.test(name)).map(name => cache[name]?.exports)
}

/** @param {RegExp} file */
function isLoaded (file) {
  return loadedExports(file).length > 0
}

module.exports = { loadedExports, isLoaded }
