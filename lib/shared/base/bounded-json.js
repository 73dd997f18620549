'use strict'

// JSON of another process or a file, parsed only where it cannot cost much more than its bytes: five million nested brackets take V8
// seconds and hundreds of megabytes, and whoever walks them afterwards overflows the stack. Pure.

const [QUOTE, BACKSLASH] = Buffer.from('"\\')
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}')
const MAX_DEPTH = 32
// A list or an object takes tens of bytes of memory, however short it is written.
const BYTES_PER_OBJECT = 8
const FREE_OBJECTS = 10_000

/**
 * Throws where it is no JSON, is nested more deeply, or has more lists and objects than data of its length has.
 * @param {Buffer} bytes
 * @param {number} [maxDepth]
 * @returns {unknown}
 */
function parseBounded (bytes, maxDepth = MAX_DEPTH) {
  const maxObjects = FREE_OBJECTS + bytes.length / BYTES_PER_OBJECT
  let depth = 0
  let objects = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > maxDepth) throw new RangeError(`nested more than ${maxDepth} levels deep`)
      if (++objects > maxObjects) throw new RangeError('too many lists and objects for its length')
    }
  }
  return JSON.parse(bytes.toString())
}

/**
 * @param {Buffer} bytes
 * @param {number} start  its opening quote
 * @returns {number} its closing quote
 */
function endOfText (bytes, start) {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return bytes.length
}

module.exports = { parseBounded }
