'use strict'

// Finds and reads the source map of a script: in the comment at its end, in the file that the comment names, or next to the script. It reads files
// only, never the network, and reports nothing about a file that is not a source map except that it is not one.

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { attempt } = require('../base/guard')
const { readRegularFile } = require('../base/regular-file')

const TAIL_BYTES = 4096
const MAX_BYTES = 100 * 1024 * 1024
// The file, and what is kept of it: names and sources count apart (source-map.js).
const MEMORY_PER_BYTE = 2.5
const NAME = 'sourceMappingURL='
const COMMENT = /^[ \t]*\/[/*][#@][ \t]*sourceMappingURL=([^\s*'"]+)[ \t]*(?:\*\/)?[ \t]*\r?$/gm
const BASE64_LINE = /[A-Za-z0-9+/=%]{256}\s*$/
const SCHEME = /^[a-z][a-z\d+.-]+:/i
const [LINE_FEED, CARRIAGE_RETURN, LINE_SEPARATOR_LEAD] = [0x0A, 0x0D, 0xE2] // U+2028 and U+2029 end lines too

/** Why a source map cannot be used, as text. */
class Problem extends Error {}

/**
 * @typedef {object} FoundMap
 * @property {Buffer} bytes
 * @property {string} folder    that its sources are relative to
 * @property {number} maxLines  that the script can have
 */

/**
 * @param {string} file   the script
 * @param {number} mayBytes  memory that may be taken
 * @returns {FoundMap | null} null where there is none
 * @throws {Problem} where one is named and cannot be read
 */
function findMap (file, mayBytes) {
  const script = read(file, mayBytes)
  if (script === null) return null
  const folder = path.dirname(file)
  const maxLines = countLines(script)
  const reference = readReference(script)
  if (reference?.startsWith('data:')) return { bytes: fromDataUrl(reference), folder, maxLines }
  const mapFile = reference === null ? `${file}.map` : resolveReference(reference, folder)
  if (mapFile === null) return null
  const bytes = read(mapFile, mayBytes)
  if (bytes === null && reference === null) return null
  if (bytes === null) throw new Problem(`${file} names a source map that is not there`)
  return { bytes, folder: path.dirname(mapFile), maxLines }
}

/**
 * @param {string} url  as V8 has it
 * @returns {string | null} the path of the script; null if it is not a file
 */
function scriptFile (url) {
  try {
    if (url.startsWith('file:')) return fileURLToPath(url)
  } catch {
    return null // of another machine
  }
  return path.isAbsolute(url) ? url : null
}

/** @param {Buffer} script @returns {string | null} */
function readReference (script) {
  const tail = script.toString('latin1', Math.max(0, script.length - TAIL_BYTES))
  const [, near] = [...tail.matchAll(COMMENT)].at(-1) ?? []
  if (near !== undefined || !BASE64_LINE.test(tail)) return near ?? null
  const at = script.lastIndexOf(`# ${NAME}`)
  return at === -1 ? null : script.toString('latin1', at + NAME.length + 2).trim()
}

/**
 * @param {string} file
 * @param {number} mayBytes
 * @returns {Buffer | null} null if it is not a file that can be read
 * @throws {Problem} where it is too large
 */
function read (file, mayBytes) {
  try {
    return readRegularFile(file, { maxBytes: Math.min(MAX_BYTES, mayBytes / MEMORY_PER_BYTE) })
  } catch (/** @type {any} */ error) {
    if (error.code === 'ERR_FILE_TOO_LARGE') throw new Problem(describeSize(file, error.size, mayBytes))
    return null
  }
}

/** @param {string} file @param {number} size @param {number} mayBytes */
function describeSize (file, size, mayBytes) {
  if (size > MAX_BYTES) return `${file} has ${megabytes(size)}, and at most ${megabytes(MAX_BYTES)} are read`
  return `${file} needs ${megabytes(size * MEMORY_PER_BYTE)} of memory, and ${megabytes(mayBytes)} may be taken`
}

/** @param {number} bytes */
function megabytes (bytes) {
  return `${Math.round(bytes / 1e6)} MB`
}

/** @param {Buffer} script @returns {number} at least as many as V8 counts */
function countLines (script) {
  let lines = 1
  for (const byte of script) if (byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === LINE_SEPARATOR_LEAD) lines++
  return lines
}

/**
 * @param {string} reference
 * @param {string} folder  of the script
 * @returns {string | null} null where it is on the network
 */
function resolveReference (reference, folder) {
  if (reference.startsWith('file:')) return scriptFile(reference)
  if (SCHEME.test(reference) || reference.startsWith('//')) return null
  const [place] = reference.split(/[?#]/)
  return path.resolve(folder, decoded(place))
}

/** @param {string} url  data: */
function fromDataUrl (url) {
  const comma = url.indexOf(',')
  const isBase64 = url.slice(0, comma).endsWith(';base64')
  const data = url.slice(comma + 1)
  return isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decoded(data))
}

/** @param {string} text */
function decoded (text) {
  return attempt(() => decodeURIComponent(text), text)
}

module.exports = { MAX_BYTES, Problem, decoded, findMap, scriptFile }
