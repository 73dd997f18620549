'use strict'

// Reads a request's input: parameters, checked against the route's table, and a JSON body.

const { assertPlainObject, refuse, unknownOption } = require('../../base/validate')

/** @import { AdminRequest } from './router' */

/** @typedef {(name: string, value: string) => unknown} ParameterCheck  checks a string; throws a coded error */
/** @typedef {Readonly<Record<string, ParameterCheck>>} ParameterChecks */

/**
 * Each parameter is read by its check, and an unknown one is refused, so that a misspelt one is not silently ignored.
 * @param {string} query  without `?`
 * @param {ParameterChecks} checks
 * @returns {Record<string, any>} the given ones
 */
function readParameters (query, checks) {
  const given = new URLSearchParams(query)
  /** @type {[string, unknown][]} */
  const read = []
  for (const name of new Set(given.keys())) {
    if (!Object.hasOwn(checks, name)) {
      throw unknownOption(`the parameter ${name.slice(0, 64)}`, name.slice(0, 64), Object.keys(checks))
    }
    const values = given.getAll(name)
    if (values.length > 1) refuse(`parameter ${name}`, 'one value', `${values.length} values`)
    read.push([name, checks[name](`parameter ${name}`, values[0])])
  }
  return Object.fromEntries(read)
}

/** @param {number} max @returns {ParameterCheck} */
function positiveNumber (max) {
  return (name, value) => {
    const number = /^\d{1,15}(\.\d{1,9})?$/.test(value) ? Number(value) : NaN
    if (!(number > 0 && number <= max)) refuse(name, `a number above 0 and at most ${max}`, value)
    return number
  }
}

/** @param {number} min @param {number} max @returns {ParameterCheck} */
function integer (min, max) {
  return (name, value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN
    if (!(number >= min && number <= max)) refuse(name, `an integer from ${min} to ${max}`, value)
    return number
  }
}

/** @param {readonly string[]} allowed @returns {ParameterCheck} */
function oneOf (allowed) {
  return (name, value) => {
    if (!allowed.includes(value)) refuse(name, `one of ${allowed.join(', ')}`, value)
    return value
  }
}

/** @returns {ParameterCheck} */
function flag () {
  return (name, value) => {
    if (!['1', 'true', '0', 'false'].includes(value)) refuse(name, '1 or 0', value)
    return value === '1' || value === 'true'
  }
}

/** Accepts any value; the route decides. @type {ParameterCheck} */
const anything = (_, value) => value

/**
 * Reads the body of a POST: a JSON object, or nothing.
 * @param {Pick<AdminRequest, 'body' | 'headers'>} request
 * @returns {Record<string, any>}
 */
function readJsonBody ({ body, headers }) {
  const bytes = body ?? new Uint8Array()
  // A form on a foreign page cannot send this type without a CORS preflight.
  const type = headers['content-type']
  if (bytes.length > 0 && !/^application\/json\b/i.test(String(type))) refuse('the body', 'application/json', type)
  return bytes.length === 0 ? {} : parseJson(bytes)
}

/** @param {Uint8Array} bytes */
function parseJson (bytes) {
  let value
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    refuse('the body', 'JSON', Buffer.from(bytes.subarray(0, 40)).toString('latin1'))
  }
  assertPlainObject('the body', value)
  return value
}

module.exports = { readParameters, positiveNumber, integer, oneOf, flag, anything, readJsonBody }
