'use strict'

// The body of a request that asks for something: an object in JSON, or nothing.

const { assertPlainObject, refuse } = require('../../shared/base/validate')

/** @import { AdminRequest } from './router' */

/**
 * @param {Pick<AdminRequest, 'body' | 'headers'>} request
 * @returns {Record<string, any>}
 */
function readJsonBody ({ body, headers }) {
  const bytes = body ?? new Uint8Array()
  // A form of a foreign page cannot send this type without asking first.
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

module.exports = { readJsonBody }
