'use strict'

// Checks the question "what if this route did less on the event loop?".

const { assertKnownKeys, assertPlainObject, refuse } = require('../base/validate')
const { assertRoute } = require('./captures/kinds')

/** @import { WhatIfOptions } from '../../types/what-if' */

const MAX_SCALE = 10

/**
 * @param {unknown} options
 * @returns {Required<WhatIfOptions>}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function checkWhatIf (options) {
  assertPlainObject('options', options)
  assertKnownKeys('options', /** @type {object} */ (options), ['route', 'scale'])
  const { route, scale = 0 } = /** @type {WhatIfOptions} */ (options)
  assertRoute('options.route', route)
  assertScale('options.scale', scale)
  return { route, scale }
}

/** @param {string} path @param {unknown} value */
function assertScale (path, value) {
  if (typeof value !== 'number' || !(value >= 0 && value <= MAX_SCALE)) refuse(path, `a number from 0 to ${MAX_SCALE}`, value)
}

/**
 * @param {string} text  of a query or a command line
 * @returns {number} NaN: none
 */
function toScale (text) {
  return /^\d{1,2}(\.\d{1,9})?$/.test(text) ? Number(text) : NaN
}

module.exports = { MAX_SCALE, assertScale, checkWhatIf, toScale }
