'use strict'

// Which stretch of time somebody wants a CPU profile of, and how: of one process or of all of a group.

const { VIEW_FORMATS } = require('./encode-view')
const { integer, numberAbove, oneOf } = require('../parameters')
const { refuse } = require('../../../shared/base/validate')
const { assertRoute } = require('../../../shared/captures/kinds')
const { SOURCES } = require('../../../shared/formats/formats')

/** @import { ParameterCheck } from '../parameters' */

const DEFAULT_LAST_SECONDS = 30
const MAX_SECONDS = 300
const MAX_LAST_SECONDS = 600
const MAX_EPOCH_MS = 8.64e15

/** @type {ParameterCheck} */
const route = (name, value) => {
  assertRoute(name, value)
  return value
}

const VIEW_PARAMETERS = Object.freeze({
  seconds: numberAbove(0, MAX_SECONDS),
  last: numberAbove(0, MAX_LAST_SECONDS),
  from: integer(0, MAX_EPOCH_MS),
  to: integer(0, MAX_EPOCH_MS),
  format: oneOf(VIEW_FORMATS),
  sources: oneOf(SOURCES),
  route
})

/**
 * @param {Record<string, any>} parameters
 * @param {number} now
 */
function timeOf ({ seconds, last, from, to }, now) {
  if (from === undefined && to === undefined) {
    const lastSeconds = last ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : 0)
    return { fromMs: now - lastSeconds * 1e3, toMs: now + (seconds ?? 0) * 1e3 }
  }
  if (from === undefined || to === undefined) refuse('parameters from and to', 'both, or none', { from, to })
  if (seconds !== undefined || last !== undefined) refuse('parameters', 'either from and to, or seconds and last', { seconds, last })
  if (!(from < to && to - now <= MAX_SECONDS * 1e3)) refuse('parameter to', `after from, and at most ${MAX_SECONDS} s ahead`, to)
  return { fromMs: from, toMs: to }
}

/**
 * @param {string} kind
 * @param {number} ms
 */
function fileName (kind, ms) {
  return `${kind}-${new Date(ms).toISOString().replace(/[-:.]/g, '').toLowerCase()}`
}

module.exports = { MAX_LAST_SECONDS, VIEW_PARAMETERS, fileName, timeOf }
