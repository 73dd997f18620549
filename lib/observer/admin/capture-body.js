'use strict'

// What is asked for with POST: a kind of capture, its options, a label, and a key by which it is known again.

const { readJsonBody } = require('./read-json-body')
const { errors } = require('../../shared/base/errors')
const { assertKnownKeys, refuse } = require('../../shared/base/validate')

/** @import { AdminRequest } from './router' */

const MAX_LABEL_LENGTH = 64
const MAX_KEY_LENGTH = 128

/**
 * @param {AdminRequest} request
 * @param {string} [givenKind]
 * @returns {{ kind: string, label: string | null, options: Record<string, any> }}
 */
function readCaptureBody (request, givenKind) {
  const { kind = givenKind, label = null, ...options } = readJsonBody(request)
  if (label !== null && (typeof label !== 'string' || label.length > MAX_LABEL_LENGTH)) {
    refuse('label', `a string of at most ${MAX_LABEL_LENGTH} characters`, label)
  }
  if (givenKind !== undefined && kind !== givenKind) refuse('kind', givenKind, kind)
  if (typeof kind !== 'string') throw new errors.ERR_LOOPSCOPE_INVALID_OPTION('kind', 'the kind of capture', String(kind))
  assertKnownKeys('the body', options, Object.keys(options).filter(name => name !== 'signal'))
  return { kind, label, options }
}

/**
 * @param {AdminRequest} request
 * @returns {string | null}
 */
function readKey ({ headers }) {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH) refuse('Idempotency-Key', `at most ${MAX_KEY_LENGTH} characters`, key)
  return key
}

/** @param {string} kind @param {string} scope */
function outOfScope (kind, scope) {
  return { status: 403, detail: `A ${kind} capture needs the scope ${scope}.`, remedy: `Use a token with the scope ${scope}.` }
}

module.exports = { outOfScope, readCaptureBody, readKey }
