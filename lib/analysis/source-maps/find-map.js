'use strict'

// Where the source map of a script is, and its text: in the comment at the end of the file, in the file that the comment names, or beside
// the script. Only files are read, never the network, and of a file that is no map nothing is told but that it is none.

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')

const TAIL_BYTES = 4096
const MAX_BYTES = 100 * 1024 * 1024
// A map as text, and the arrays that the library makes of it; measured 10 to 13.5 with maps of 22 MB.
const MEMORY_PER_BYTE = 15
const NAME = 'sourceMappingURL='
const COMMENT = /^[ \t]*\/[/*][#@][ \t]*sourceMappingURL=([^\s*'"]+)[ \t]*(?:\*\/)?[ \t]*\r?$/gm
const BASE64_LINE = /[A-Za-z0-9+/=%]{256}\s*$/
const SCHEME = /^[a-z][a-z\d+.-]+:/i

/** What a person is told of a map that cannot be used. */
class Problem extends Error {}

/**
 * @typedef {object} FoundMap
 * @property {string} text
 * @property {string} folder  that its sources are relative to
 */

/**
 * @param {string} file   the script
 * @param {number} mayBytes  memory that may be taken
 * @returns {FoundMap | null} null where there is none
 * @throws {Problem} where one is named and cannot be read
 */
function findMap (file, mayBytes) {
  const reference = readReference(file, mayBytes)
  const folder = path.dirname(file)
  if (reference?.startsWith('data:')) return { text: fromDataUrl(reference), folder }
  const mapFile = reference === null ? `${file}.map` : resolveReference(reference, folder)
  if (mapFile === null) return null
  const size = sizeOf(mapFile)
  if (size === null && reference === null) return null
  if (size === null) throw new Problem(`${file} names a source map that is not there`)
  assertSize(mapFile, size, mayBytes)
  return { text: fs.readFileSync(mapFile, 'utf8'), folder: path.dirname(mapFile) }
}

/**
 * @param {string} url  as V8 has it
 * @returns {string | null} the path of the script; null where it is no file
 */
function scriptFile (url) {
  try {
    if (url.startsWith('file:')) return fileURLToPath(url)
  } catch {
    return null // of another machine
  }
  return path.isAbsolute(url) ? url : null
}

/**
 * @param {string} file
 * @param {number} mayBytes
 * @returns {string | null}
 */
function readReference (file, mayBytes) {
  const size = sizeOf(file)
  if (size === null) return null
  const tail = readEnd(file, size, Math.min(size, TAIL_BYTES))
  const [, near] = [...tail.matchAll(COMMENT)].at(-1) ?? []
  if (near !== undefined || !BASE64_LINE.test(tail)) return near ?? null
  assertSize(file, size, mayBytes)
  const whole = readEnd(file, size, size)
  const at = whole.lastIndexOf(`# ${NAME}`)
  return at === -1 ? null : whole.slice(at + NAME.length + 2).trim()
}

/**
 * @param {string} file
 * @returns {number | null} null where it is no file that can be read
 */
function sizeOf (file) {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? found.size : null
}

/**
 * @param {string} file
 * @param {number} size
 * @param {number} mayBytes
 */
function assertSize (file, size, mayBytes) {
  if (size > MAX_BYTES) throw new Problem(`${file} has ${megabytes(size)}, and at most ${megabytes(MAX_BYTES)} are read`)
  if (size * MEMORY_PER_BYTE > mayBytes) {
    throw new Problem(`${file} needs ${megabytes(size * MEMORY_PER_BYTE)} of memory, and ${megabytes(mayBytes)} may be taken`)
  }
}

/** @param {number} bytes */
function megabytes (bytes) {
  return `${Math.round(bytes / 1e6)} MB`
}

/**
 * @param {string} file
 * @param {number} size
 * @param {number} length
 */
function readEnd (file, size, length) {
  const bytes = Buffer.alloc(length)
  const descriptor = fs.openSync(file, 'r')
  try {
    return bytes.toString('latin1', 0, fs.readSync(descriptor, bytes, 0, length, size - length))
  } finally {
    fs.closeSync(descriptor)
  }
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
  return isBase64 ? Buffer.from(data, 'base64').toString() : decoded(data)
}

/** @param {string} text */
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

module.exports = { MAX_BYTES, Problem, decoded, findMap, scriptFile }
