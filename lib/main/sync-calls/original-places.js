'use strict'

// From places in the code that runs to those in the code that was written. The observer is asked for each of them once: source maps are
// not read on the main thread. What it does not know, Node may: of code that is compiled when it is loaded, with
// `node --enable-source-maps` or process.setSourceMapsEnabled(true).

const { findSourceMap } = require('node:module')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { Place } from './call-site' */

/** @typedef {(frames: CallFrame[]) => Promise<(CallFrame | null)[]>} ToWritten  null: not known yet */

/** @param {ToWritten} [toWritten]  asks the observer */
function createOriginalPlaces (toWritten = async frames => frames) {
  /** Of places that were asked for; null where the observer does not know. @type {Map<Place, Place | null>} */
  const known = new Map()
  let isAsking = false

  return {
    /**
     * @param {Place} place
     * @returns {Place} the same place where there is no map, or the map does not know it, or it is not known yet
     */
    of: place => known.get(place) ?? ofNode(place),

    /**
     * @param {readonly Place[]} places  as many as there are call sites: they are bounded
     * @returns {Promise<void>} rejects where there is no observer: they are asked for again
     */
    async learn (places) {
      const asked = places.filter(place => place.line > 0 && !known.has(place))
      if (isAsking || asked.length === 0) return
      isAsking = true
      try {
        const frames = asked.map(toFrame)
        const written = await toWritten(frames)
        for (const [index, place] of asked.entries()) {
          const frame = written[index]
          if (frame !== null) known.set(place, toPlace(frames[index], frame)) // else it is asked for again
        }
      } finally {
        isAsking = false
      }
    }
  }
}

/**
 * @param {Place} place
 * @returns {CallFrame}
 */
function toFrame (place) {
  return { functionName: place.function, scriptId: '0', url: place.file, lineNumber: place.line - 1, columnNumber: place.column - 1 }
}

/**
 * @param {CallFrame} frame
 * @param {CallFrame} written
 * @returns {Place | null} null where they are the same
 */
function toPlace (frame, { functionName, url, lineNumber, columnNumber }) {
  if (url === frame.url && lineNumber === frame.lineNumber && columnNumber === frame.columnNumber) return null
  return { function: functionName || '(anonymous)', file: url, line: lineNumber + 1, column: columnNumber + 1 }
}

/**
 * @param {Place} place
 * @returns {Place}
 */
function ofNode (place) {
  try {
    const entry = /** @type {any} */ (findSourceMap(place.file)?.findEntry(place.line - 1, place.column - 1))
    if (entry?.originalSource === undefined) return place
    return { function: place.function, file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  } catch {
    return place // a map that is broken is no reason to say nothing
  }
}

module.exports = { createOriginalPlaces }
