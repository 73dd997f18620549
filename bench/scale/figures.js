'use strict'

// Names of figures that several dimensions have.

const OBSERVER = 'memory of the observer, MB'
const RSS = 'RSS of the process, MB'

/**
 * @param {{ observerBytes: number, rssBytes: number }[]} memory  by size
 */
function memoryFigures (memory) {
  const megabytes = (/** @type {number} */ bytes) => bytes / 1024 ** 2
  return [
    { name: OBSERVER, values: memory.map(({ observerBytes }) => megabytes(observerBytes)) },
    { name: RSS, values: memory.map(({ rssBytes }) => megabytes(rssBytes)) }
  ]
}

module.exports = { memoryFigures, OBSERVER }
