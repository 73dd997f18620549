'use strict'

// Checks values that users pass. Each error names the option path, what was expected and what was passed.

const { inspect } = require('node:util')
const { errors } = require('./errors')

/** @param {unknown} value */
function show (value) {
  return inspect(value, { depth: 0, maxStringLength: 80, breakLength: Infinity })
}

/** @param {string} path @param {string} wanted @param {unknown} value @returns {never} */
function refuse (path, wanted, value) {
  throw new errors.ERR_LOOPSCOPE_INVALID_OPTION(path, wanted, show(value))
}

/** @param {string} path @param {unknown} value @param {number} min @param {number} max */
function assertInteger (path, value, min, max) {
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    refuse(path, `an integer from ${min} to ${max}`, value)
  }
}

/**
 * A number of any precision: `exclusiveMin < value <= max`.
 * @param {string} path
 * @param {unknown} value
 * @param {number} exclusiveMin
 * @param {number} max
 */
function assertNumberAbove (path, value, exclusiveMin, max) {
  if (typeof value !== 'number' || !(value > exclusiveMin && value <= max)) {
    refuse(path, `a number above ${exclusiveMin} and at most ${max}`, value)
  }
}

/** @param {string} path @param {unknown} value */
function assertBoolean (path, value) {
  if (typeof value !== 'boolean') refuse(path, 'true or false', value)
}

/** @param {string} path @param {unknown} value */
function assertString (path, value) {
  if (typeof value !== 'string' || value === '') refuse(path, 'a non-empty string', value)
}

/** @param {string} path @param {unknown} value @param {readonly string[]} allowed */
function assertOneOf (path, value, allowed) {
  if (!allowed.includes(/** @type {string} */ (value))) refuse(path, `one of ${allowed.join(', ')}`, value)
}

/** @param {string} path @param {unknown} value */
function assertPlainObject (path, value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) refuse(path, 'an object', value)
}

/** @param {string} path @param {object} value @param {readonly string[]} known */
function assertKnownKeys (path, value, known) {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw unknownOption(`${path}.${key}`, key, known)
  }
}

/**
 * @param {string} shown  the name, and where it stands
 * @param {string} name
 * @param {readonly string[]} known
 * @param {string} [prefix]  of all names: it says nothing of which was meant
 */
function unknownOption (shown, name, known, prefix = '') {
  const { closestName } = require('./closest-name') // rarely needed
  const meant = closestName(name.slice(prefix.length), known.map(option => option.slice(prefix.length)))
  return new errors.ERR_LOOPSCOPE_UNKNOWN_OPTION(shown, meant === undefined ? 'valid options' : `did you mean ${prefix}${meant}? Valid options`, known.join(', ') || 'none')
}

/**
 * An object of someone else's making that must answer to these methods (a logger, a registry).
 * @param {string} path
 * @param {any} value
 * @param {readonly string[]} methods
 */
function assertMethods (path, value, methods) {
  const has = value !== null && (typeof value === 'object' || typeof value === 'function') &&
    methods.every(method => typeof value[method] === 'function')
  if (!has) refuse(path, `an object with the methods ${methods.join(', ')}`, value)
}

/** @param {string} path @param {unknown} value */
function assertFunction (path, value) {
  if (typeof value !== 'function') refuse(path, 'a function', value)
}

/** @param {string} name @param {unknown} value @returns {boolean} whether HTTP allows it, and it is text */
function isHeader (name, value) {
  if (typeof value !== 'string') return false
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

module.exports = { assertBoolean, assertFunction, assertInteger, assertKnownKeys, assertMethods, assertNumberAbove, assertOneOf, assertPlainObject, assertString, isHeader, refuse, unknownOption }
