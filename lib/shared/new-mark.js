'use strict'

// A new mark, a label for this point in time.

const { refuse } = require('../base/validate')

/** @import { Mark } from '../../types/diagnostics' */

// Logs, tables and charts show it on one line.
const TEXT = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u

/**
 * One of this moment.
 * @param {unknown} text
 * @returns {Mark}
 */
function newMark (text) {
  if (typeof text !== 'string' || !TEXT.test(text)) refuse('mark', 'a text of 1 to 200 printable characters', text)
  return { at: Date.now(), text }
}

module.exports = { newMark }
