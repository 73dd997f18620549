'use strict'

// The name that a function was written with. V8 knows the generated one; a map has the written one at the identifier, some columns before
// the parameters, where V8 says that the function begins. Pure.

/** @import { Segment } from './source-map' */

// Names of a letter or two on a line as long as no person writes are a minifier's.
const MAX_MINIFIED_NAME = 2
const MIN_MINIFIED_LINE = 500

const IDENTIFIER = /[\w$\u0080-\uFFFF]+$/
const PART = /^[\w$\u0080-\uFFFF]/

/**
 * @param {string} generated  V8's name
 * @param {() => string} readLine  of the generated code: most names need none
 * @param {Segment['namesBefore']} namesBefore
 * @returns {string} '' where nobody knows
 */
function toWrittenName (generated, readLine, namesBefore) {
  const [identifier] = IDENTIFIER.exec(generated) ?? []
  if (identifier === undefined) return generated
  const holder = generated.slice(0, -identifier.length) // `exports.`
  const isMinified = (/** @type {string} */ name) => name.length <= MAX_MINIFIED_NAME && readLine().length >= MIN_MINIFIED_LINE
  const line = namesBefore.length === 0 ? '' : readLine()
  const found = namesBefore.find(({ column }) => line.startsWith(identifier, column) && !PART.test(line.slice(column + identifier.length)))
  const name = found?.name ?? (isMinified(identifier) ? '' : identifier)
  return name === '' || isMinified(holder.slice(0, -1)) ? name : holder + name
}

module.exports = { toWrittenName }
