'use strict'

// Checks of plain data that another process or a file handed over, before any of it is used. Members that nobody asks for are let through,
// so that a newer version may send more. Pure.

/** @typedef {(value: unknown) => boolean} Shape */

const MAX_EPOCH_MS = 8.64e15 // the last moment of a Date

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

/**
 * @param {RegExp} pattern
 * @returns {Shape}
 */
function textOf (pattern) {
  return value => typeof value === 'string' && pattern.test(value)
}

/**
 * @param {readonly unknown[]} values
 * @returns {Shape}
 */
function oneOf (values) {
  return value => values.includes(value)
}

/**
 * @param {readonly Shape[]} shapes
 * @returns {Shape}
 */
function anyOf (...shapes) {
  return value => shapes.some(shape => shape(value))
}

/**
 * @param {Shape} shape
 * @returns {Shape}
 */
function orNull (shape) {
  return value => value === null || shape(value)
}

/**
 * For what an older version does not send.
 * @param {Shape} shape
 * @returns {Shape}
 */
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

module.exports = { amount, anyOf, count, flag, isObject, listOf, mapOf, number, oneOf, optional, orNull, record, text, textOf, time }
