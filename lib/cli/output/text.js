'use strict'

// Text as it may be shown, broken between words. Names and answers come from other processes and files: none may control the terminal, nor
// look like something it is not. Pure.

// C0, DEL and C1, which hold the beginnings of all sequences; separators of lines; marks that turn the direction of text.
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu
const UNPRINTABLE_IN_LINES = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu
const REPLACEMENT = '\uFFFD'

/**
 * @param {string} text
 * @returns {string} one line
 */
function printable (text) {
  return text.replaceAll(UNPRINTABLE, REPLACEMENT)
}

/** @param {string} text */
function printableLines (text) {
  return text.replaceAll(UNPRINTABLE_IN_LINES, REPLACEMENT)
}

/**
 * Nothing is lost: in JSON every character can be written in ASCII.
 * @param {unknown} value
 */
function printableJson (value) {
  const escape = (/** @type {string} */ character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, 2).replaceAll(UNPRINTABLE_IN_LINES, escape)
}

/**
 * Prose as wide as there is room.
 * @param {string} text    one line
 * @param {number} width   of the terminal; a word that is longer than that has a line of its own
 * @param {string} [indent]  of all lines but the first
 * @param {number} [begin]   where the prose begins: what stands before it is left as it is
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
