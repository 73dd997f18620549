'use strict'

// From the place in the code that runs to the one in the code that was written, where Node has a source map for it:
// `node --enable-source-maps`, or process.setSourceMapsEnabled(true).

const { findSourceMap } = require('node:module')

/** @import { Place } from './call-site' */

/**
 * @param {Place} place
 * @returns {Place} the same place where there is no map, or the map does not know it
 */
function toOriginal (place) {
  if (place.line === 0) return place
  try {
    const entry = /** @type {any} */ (findSourceMap(place.file)?.findEntry(place.line - 1, place.column - 1))
    if (entry?.originalSource === undefined) return place
    return { function: place.function, file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  } catch {
    return place // a map that is broken is no reason to say nothing
  }
}

module.exports = { toOriginal }
