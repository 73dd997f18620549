'use strict'

// Text as it may be shown. Names and answers come from other processes and files: none may speak to the terminal, nor look
// like something it is not. Pure.

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

module.exports = { printable, printableLines, printableJson }
