'use strict'

// Makes text printable, and wraps it between words. Names and answers come from other processes and files: none may control the terminal, or
// be displayed as something else. Pure.

// C0, DEL and C1, with which all control sequences begin; line separators; marks that change the direction of text.
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu
const UNPRINTABLE_IN_LINES = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu
const REPLACEMENT = '\uFFFD'

/** @param {string} text @returns {string} one line */
function printable (text) {
  return text.replaceAll(UNPRINTABLE, REPLACEMENT)
}

/** @param {string} text */
function printableLines (text) {
  return text.replaceAll(UNPRINTABLE_IN_LINES, REPLACEMENT)
}

/** Nothing is lost: JSON can escape every character. @param {unknown} value */
function printableJson (value) {
  const escape = (/** @type {string} */ character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, 2).replaceAll(UNPRINTABLE_IN_LINES, escape)
}

/**
 * Wraps prose to the width of the terminal.
 * @param {string} text    one line
 * @param {number} width   of the terminal; a longer word gets its own line
 * @param {string} [indent]  of all lines but the first
 * @param {number} [begin]   where the prose begins: the text before it is not changed
 * @returns {string[]} lines
 */
function wrapped (text, width, indent = '', begin = text.length - text.trimStart().length) {
  const [first, ...words] = text.slice(begin).split(' ')
  const lines = [text.slice(0, begin) + first]
  for (const word of words) {
    const last = lines[lines.length - 1]
    if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(indent + word)
  }
  return lines
}

module.exports = { printable, printableJson, printableLines, wrapped }
