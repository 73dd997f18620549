'use strict'

// The source maps that only the process has, of code that was compiled as it was loaded: Node.js keeps them with --enable-source-maps, or where
// the loader (tsx, Node's own transformation of TypeScript) called process.setSourceMapsEnabled(true). Node.js decodes a map when it is asked for
// it the first time, on this thread: so only some are asked for at a time, and none of a bundle.

const { findSourceMap } = require('node:module')
const { performance } = require('../../shared/base/timers')

const MAX_MS = 5 // at once; the first is always read
const MAX_LENGTH = 2 * 1024 * 1024

/**
 * @param {readonly string[]} urls  of scripts, as V8 has them
 * @returns {(string | null)[]} maps as text, null where there is none, of as many of the first as there was time for
 */
function readScriptMaps (urls) {
  const untilMs = performance.now() + MAX_MS
  /** @type {(string | null)[]} */
  const maps = []
  for (const url of urls) {
    if (maps.length > 0 && performance.now() > untilMs) break
    maps.push(readMap(url))
  }
  return maps
}

/** @param {string} url */
function readMap (url) {
  try {
    const { sources, names, mappings, sourceRoot } = /** @type {any} */ (findSourceMap(url))?.payload ?? {}
    return typeof mappings === 'string' && mappings.length <= MAX_LENGTH ? JSON.stringify({ version: 3, sources, names, mappings, sourceRoot }) : null
  } catch {
    return null // broken
  }
}

module.exports = { readScriptMaps }
