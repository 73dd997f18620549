'use strict'

// Where functions begin, as a profile, a stack and V8 itself have it, brought to one form. Pure.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../base/own-files')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { BlockedCall } from '../../probe/blocked-stack' */

/** @typedef {{ line: string, column: number }} Place  line: file and line of where the function begins */

const MAX_URLS = 10_000

/** @type {Map<string, string>} */
const urls = new Map()

/**
 * @param {CallFrame} frame
 * @returns {Place | null} null for what nobody wrote: Node's own, and what has no file
 */
function placeOfFrame ({ url, lineNumber, columnNumber }) {
  if (url === '' || url.startsWith('node:') || lineNumber < 0) return null
  return { line: `${urlOf(url)}:${lineNumber}`, column: columnNumber }
}

/**
 * @param {string} calls  JSON of BlockedCall[]
 * @returns {Place[]} of the functions on the stack, each once, and none of ours; where their text begins, which is before their parameters
 */
function placesOfStack (calls) {
  /** @type {Map<string, Place>} */
  const places = new Map()
  for (const [, , file, , , line, column] of /** @type {BlockedCall[]} */ (JSON.parse(calls))) {
    if (file === '' || line === 0 || file.startsWith(OWN_FOLDER)) continue
    const place = { line: `${urlOf(file)}:${line - 1}`, column: column - 1 }
    places.set(`${place.line}:${place.column}`, place)
  }
  return [...places.values()]
}

/**
 * @param {readonly Place[]} places  innermost first
 * @returns {string[]} by which two stacks are compared: a stack and a profile have the lines in common, and not the columns
 */
function linesOf (places) {
  return [...new Set(places.map(({ line }) => line))]
}

/** @param {string} file  a path or a URL */
function urlOf (file) {
  const known = urls.get(file)
  if (known !== undefined) return known
  const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
  if (urls.size < MAX_URLS) urls.set(file, url)
  return url
}

module.exports = { linesOf, placeOfFrame, placesOfStack }
