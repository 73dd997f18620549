'use strict'

// What becomes of the costs, and of the observer's memory, when an application is larger, runs longer or does worse?

const { OBSERVER } = require('./scale/figures')

/**
 * @typedef {object} Figure
 * @property {string} name      with its unit
 * @property {number[]} values  by size
 *
 * @typedef {object} Dimension
 * @property {string} name     what grows
 * @property {string} method
 * @property {number[]} sizes
 * @property {string[]} sizeNames
 * @property {Figure[]} figures
 * @property {string} bounded  what keeps it from growing
 *
 * @typedef {{ quick: boolean, progress: (text: string) => void }} How
 */

const DIMENSIONS = Object.freeze(['routes', 'functions', 'stalls', 'windows', 'workers'])
const MAX_OBSERVER_MB = 64

const METHOD = 'For each thing that can grow, processes of several sizes. The memory of a thread is what its heap holds after a collection, with the memory outside of it; RSS is that of the whole process, where each size has one of its own. ' +
  'All of it with its plots is on [a page of its own](scale.md).'

/** @param {How} how */
async function measure (how) {
  /** @type {Dimension[]} */
  const scale = []
  for (const name of DIMENSIONS) {
    /** @type {Omit<Dimension, 'sizeNames'>} */
    const dimension = await require(`./scale/${name}`).measure(how)
    scale.push({ sizeNames: dimension.sizes.map(size => size.toLocaleString('en')), ...dimension })
  }
  return { ...report(scale), scale }
}

/** @param {Dimension[]} scale */
function report (scale) {
  const observers = scale.flatMap(({ figures }) => figures.filter(({ name }) => name === OBSERVER).flatMap(({ values }) => values))
  const most = Math.max(...observers)
  return {
    question: 'What does it cost when an application grows?',
    method: METHOD,
    table: {
      columns: ['what grows', 'figure', 'smallest', 'largest'],
      rows: scale.flatMap(({ name, sizeNames, figures }) => figures.map(figure => [
        name, figure.name, `${figure.values[0].toFixed(1)} (${sizeNames[0]})`, `${/** @type {number} */ (figure.values.at(-1)).toFixed(1)} (${sizeNames.at(-1)})`
      ]))
    },
    headline: { what: 'memory of the observer, however large the application is and however long it runs', cost: `${most.toFixed(0)} MB at most`, beside: '' },
    budgets: [{ budget: `the observer never holds more than ${MAX_OBSERVER_MB} MB`, measured: `${most.toFixed(1)} MB at most`, isMet: most <= MAX_OBSERVER_MB }]
  }
}

module.exports = { measure }
