'use strict'

// Prose as wide as there is room, broken between words. Pure.

/**
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

module.exports = { wrapped }
