'use strict'

// Parses plain data from another process or a file within limits, and checks its shape before use. Unknown members are allowed, so that a newer
// version may send more. Pure.

/** @typedef {(value: unknown) => boolean} Shape */

const MAX_EPOCH_MS = 8.64e15 // the last moment of a Date

const [QUOTE, BACKSLASH] = Buffer.from('"\\')
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}')
const MAX_DEPTH = 32
// A list or an object takes tens of bytes of memory, however short it is written.
const BYTES_PER_OBJECT = 8
const FREE_OBJECTS = 10_000

/** @type {Shape} */
const text = value => typeof value === 'string'

/** @type {Shape} */
const flag = value => typeof value === 'boolean'

/** @type {Shape} */
const number = value => Number.isFinite(value)

/** Not negative. @type {Shape} */
const amount = value => Number.isFinite(value) && Number(value) >= 0

/** @type {Shape} */
const count = value => Number.isSafeInteger(value) && Number(value) >= 0

/** Milliseconds since the epoch. @type {Shape} */
const time = value => Number.isFinite(value) && Math.abs(Number(value)) <= MAX_EPOCH_MS

/** @param {RegExp} pattern @returns {Shape} */
function textOf (pattern) {
  return value => typeof value === 'string' && pattern.test(value)
}

/** @param {readonly unknown[]} values @returns {Shape} */
function oneOf (values) {
  return value => values.includes(value)
}

/** @param {readonly Shape[]} shapes @returns {Shape} */
function anyOf (...shapes) {
  return value => shapes.some(shape => shape(value))
}

/** @param {Shape} shape @returns {Shape} */
function orNull (shape) {
  return value => value === null || shape(value)
}

/** For what an older version does not send. @param {Shape} shape @returns {Shape} */
function optional (shape) {
  return value => value === undefined || value === null || shape(value)
}

/**
 * @param {Shape} shape  of each
 * @param {number} [maxLength]
 * @returns {Shape}
 */
function listOf (shape, maxLength = Infinity) {
  return value => Array.isArray(value) && value.length <= maxLength && value.every(one => shape(one))
}

/**
 * @param {Readonly<Record<string, Shape>>} shapes  of the members that must be there
 * @returns {Shape}
 */
function record (shapes) {
  const members = Object.entries(shapes)
  return value => isObject(value) && members.every(([name, shape]) => shape(/** @type {any} */ (value)[name]))
}

/**
 * @param {Shape} shape  of each value
 * @param {Shape} [name]  of each name
 * @returns {Shape}
 */
function mapOf (shape, name = text) {
  return value => isObject(value) && Object.entries(/** @type {object} */ (value)).every(([key, one]) => name(key) && shape(one))
}

/** @param {unknown} value */
function isObject (value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/**
 * JSON, parsed only where it cannot cost much more than its bytes: five million nested brackets take V8 seconds and hundreds of megabytes, and
 * code that walks them afterwards overflows the stack.
 * Throws if it is not JSON, is nested more deeply, or has more lists and objects than data of its length can need.
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
    if (byte === QUOTE) at = endOfText(bytes, at, bytes.length) - 1
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
 * @param {number} start  the opening quote of a text in JSON
 * @param {number} end
 * @returns {number} behind its closing quote; the end where there is none
 */
function endOfText (bytes, start, end) {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1 && at < end; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return end
}

module.exports = { amount, anyOf, count, endOfText, flag, isObject, listOf, mapOf, number, oneOf, optional, orNull, parseBounded, record, text, textOf, time }
