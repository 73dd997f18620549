'use strict'

// The types that options have: what is wanted, in words, how a value is checked, and how it is read from an environment variable.

const { assertInteger, assertMethods, assertNumberAbove, assertOneOf, assertString, refuse } = require('../../shared/base/validate')

const MAX_BYTES = Number.MAX_SAFE_INTEGER

/**
 * @param {number} min
 * @param {number} max
 */
function integer (min, max) {
  return {
    wanted: max === MAX_BYTES ? `integer of at least ${min}` : `integer from ${min} to ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertInteger(path, value, min, max),
    // Number('') is 0 and Number('1e3') is 1000: only what reads as digits is taken for a number.
    fromText: (/** @type {string} */ text) => /^\d+$/.test(text) ? Number(text) : text
  }
}

/**
 * @param {number} exclusiveMin
 * @param {number} max
 */
function number (exclusiveMin, max) {
  return {
    wanted: `number above ${exclusiveMin}, at most ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertNumberAbove(path, value, exclusiveMin, max),
    fromText: (/** @type {string} */ text) => /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
  }
}

function text () {
  return { wanted: 'string', check: assertString, fromText: String }
}

/** @param {readonly string[]} allowed */
function oneOf (allowed) {
  return {
    wanted: allowed.map(value => `\`'${value}'\``).join(' or '),
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertOneOf(path, value, allowed),
    fromText: String
  }
}

/** @param {string[]} names */
function methods (...names) {
  return {
    wanted: `object with ${names.map(name => `\`${name}\``).join(', ')}`,
    defaultValue: undefined,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertMethods(path, value, names),
    fromText: null
  }
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkGroup (path, value) {
  if (typeof value !== 'boolean' && (value === null || typeof value !== 'object')) refuse(path, 'true, false, or an object', value)
}

/**
 * @param {string} path
 * @param {unknown} value
 * @returns {string[]}
 */
function assertStrings (path, value) {
  if (!Array.isArray(value) || value.length === 0 || value.some(one => typeof one !== 'string')) refuse(path, 'a list of names', value)
  return /** @type {string[]} */ (value)
}

/** @param {string} text */
function toSwitch (text) {
  const words = new Map([['true', true], ['on', true], ['1', true], ['false', false], ['off', false], ['0', false]])
  return words.get(text.toLowerCase()) ?? text
}

/** @param {string} text  `SIGUSR2=cpu,SIGHUP=cpu`, or `off` */
function toSignals (text) {
  if (toSwitch(text) === false) return false
  return Object.fromEntries(text.split(',').map(pair => pair.split('=').map(part => part.trim())))
}

module.exports = { MAX_BYTES, assertStrings, checkGroup, integer, methods, number, oneOf, text, toSignals, toSwitch }
