'use strict'

// Brings the positions of functions, as in a profile, a stack or V8 itself, to one form. Pure.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER } = require('../../base/own-files')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { BlockedCall } from '../../probe/blocked-stack' */

/** @typedef {{ line: string, column: number }} FunctionKey  line: file and line where the function begins */

// A stack has the position of a function's text, a profile that of its parameters: between them are keywords and the function's name.
const MAX_KEYWORDS = 'async function * '.length + 4

const MAX_URLS = 10_000

/** @type {Map<string, string>} */
const urls = new Map()

/** @param {CallFrame} frame @returns {FunctionKey | null} null for Node's own code and code without a file */
function keyOfFrame ({ url, lineNumber, columnNumber }) {
  if (url === '' || url.startsWith('node:') || lineNumber < 0) return null
  return { line: `${urlOf(url)}:${lineNumber}`, column: columnNumber }
}

/**
 * @param {string} calls  JSON of BlockedCall[]
 * @returns {FunctionKey[]} the functions on the stack, each once, without loopscope's; at the start of their text, which is before their parameters
 */
function keysOfStack (calls) {
  /** @type {Map<string, FunctionKey>} */
  const keys = new Map()
  for (const [, , file, , , line, column] of /** @type {BlockedCall[]} */ (JSON.parse(calls))) {
    if (file === '' || line === 0 || file.startsWith(OWN_FOLDER)) continue
    const key = { line: `${urlOf(file)}:${line - 1}`, column: column - 1 }
    keys.set(`${key.line}:${key.column}`, key)
  }
  return [...keys.values()]
}

/**
 * @param {readonly FunctionKey[]} keys  innermost first
 * @returns {string[]} for comparing a stack with a profile: they agree in lines, but not in columns
 */
function linesOf (keys) {
  return [...new Set(keys.map(({ line }) => line))]
}

/** @param {string} file  a path or a URL */
function urlOf (file) {
  const known = urls.get(file)
  if (known !== undefined) return known
  const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
  if (urls.size < MAX_URLS) urls.set(file, url)
  return url
}

module.exports = { MAX_KEYWORDS, keyOfFrame, keysOfStack, linesOf }
