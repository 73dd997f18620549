'use strict'

// Brings the positions of functions, as in a profile, a stack or V8 itself, to one form. Pure.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../base/own-files')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { BlockedCall } from '../../probe/blocked-stack' */

/** @typedef {{ line: string, column: number }} Place  line: file and line where the function begins */

const MAX_URLS = 10_000

/** @type {Map<string, string>} */
const urls = new Map()

/**
 * @param {CallFrame} frame
 * @returns {Place | null} null for Node's own code and code without a file
 */
function placeOfFrame ({ url, lineNumber, columnNumber }) {
  if (url === '' || url.startsWith('node:') || lineNumber < 0) return null
  return { line: `${urlOf(url)}:${lineNumber}`, column: columnNumber }
}

/**
 * @param {string} calls  JSON of BlockedCall[]
 * @returns {Place[]} the functions on the stack, each once, without loopscope's; at the start of their text, which is before their parameters
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
 * @returns {string[]} for comparing a stack with a profile: they agree in lines, but not in columns
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
