'use strict'

// Figures that several dimensions have.

/** @import { Memory } from '../harness/memory' */

const OBSERVER = 'memory of the observer, MB'

/** @param {Memory[]} memory  by size */
function memoryFigures (memory) {
  return [
    { name: OBSERVER, values: memory.map(({ observerBytes }) => megabytes(observerBytes)) },
    { name: 'memory of the main thread, MB', values: memory.map(({ mainBytes }) => megabytes(mainBytes)) }
  ]
}

/** @param {Memory[]} memory  by size, each of a process of its own */
function rssFigure (memory) {
  return { name: 'RSS of the process, MB', values: memory.map(({ rssBytes }) => megabytes(rssBytes)) }
}

/** @param {number} bytes */
function megabytes (bytes) {
  return bytes / 1024 ** 2
}

module.exports = { memoryFigures, rssFigure, OBSERVER }
