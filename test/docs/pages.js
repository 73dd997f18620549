'use strict'

// The code blocks of a page, and what an output must have in common with the one that the page shows.

const { readProject } = require('../internal/project')

/**
 * @typedef {object} Block
 * @property {string} language  '' is output
 * @property {string} text
 * @property {string} heading  the section that it is in
 */

/**
 * @param {string} file  in the project
 * @returns {Block[]}
 */
function blocksOf (file) {
  let heading = ''
  return [...readProject(file).matchAll(/^(#+ [^\n]+)$|^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, title, language, text]) => {
    if (title !== undefined) heading = title.replace(/^#+ /, '')
    return title === undefined ? [{ language, text, heading }] : []
  })
}

/**
 * Figures, their units and the name of the host vary, and with them the width of columns. Lines of the application's files do not.
 * @param {string} line
 */
function withoutFigures (line) {
  return line
    .replace(/ on \S+\): /, ' on host): ')
    .replace(/[─│┌┐└┘├┤┬┴┼\s]+/g, ' ')
    .replace(/((?<!node_modules\/\S*)(?<![\w:])(?!node:)[\w./-]+\.m?js:\d+)|[<≤]?\d[\d.,:]*(?: ?[kM]?B\b|[kM]\b)?/g, (_, location) => location ?? '#')
    .trim()
}

/**
 * What of an excerpt is not in the output, in its order. Between two lines of an excerpt there may be others, a line may go on
 * (with another route, or how long it waited for a CPU), and `…` stands for any text.
 * @param {string} excerpt
 * @param {string} output
 * @returns {string | null}
 */
function missingOf (excerpt, output) {
  const lines = output.split('\n').map(withoutFigures)
  let at = 0
  for (const line of excerpt.trimEnd().split('\n')) {
    const wanted = withoutFigures(line)
    if (wanted === '' || wanted === '…') continue
    // A ratio of nearly nothing is shown as -.
    const parts = wanted.split('…').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('#x', '(?:#x|-)'))
    const pattern = new RegExp(`^${parts.join('.*')}`)
    const found = lines.findIndex((other, index) => index >= at && pattern.test(other))
    if (found < 0) return line
    at = found + 1
  }
  return null
}

module.exports = { blocksOf, missingOf }
