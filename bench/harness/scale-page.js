'use strict'

// docs/scale.md and its plots, of what bench/scale.js has measured.

const { plot } = require('./plot')
const { toMarkdown } = require('./report')

/** @import { Dimension } from '../scale' */

const INTRODUCTION = `# Scale

What becomes of the costs, and of the memory of the observer thread, when an application has more routes, more functions, more workers, runs longer or
stalls more often. \`npm run bench -- --only scale\` measures it anew and writes this page.
`

/**
 * @param {{ environment: string, scale: Dimension[] }} result
 * @returns {Promise<{ page: string, images: Record<string, string> }>}  images: by name of their file, which the page expects in docs/images
 */
async function scalePage ({ environment, scale }) {
  /** @type {Record<string, string>} */
  const images = {}
  const sections = []
  for (const dimension of scale) {
    const names = dimension.figures.map((_, at) => `scale-${dimension.name}-${at + 1}.svg`)
    for (const [at, name] of names.entries()) images[name] = await plot(dimension.figures[at], dimension)
    sections.push(section(dimension, names))
  }
  return { page: [INTRODUCTION, `*${environment}*\n`, ...sections].join('\n'), images }
}

/**
 * @param {Dimension} dimension
 * @param {string[]} images
 */
function section ({ name, method, sizeNames, figures, bounded }, images) {
  const table = {
    columns: [name, ...figures.map(figure => figure.name)],
    rows: sizeNames.map((sizeName, at) => [sizeName, ...figures.map(({ values }) => values[at].toFixed(1))])
  }
  const plots = images.map((image, at) => `![${figures[at].name}, by ${name}](images/${image})`)
  return `## ${name[0].toUpperCase()}${name.slice(1)}\n\n${method}\n\n${toMarkdown(table)}\n\n${plots.join('\n')}\n\n${bounded}\n`
}

module.exports = { scalePage }
