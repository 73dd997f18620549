'use strict'

// An application that stalls again and again.

const { withChildren } = require('../harness/child')
const { memoryFigures } = require('./figures')

/** @import { Dimension, How } from '../scale' */

const SIZES = Object.freeze([10, 100, 1000, 10_000])
const AT_ONCE = 500 // stalls a question: an answer must not take a minute

const METHOD = 'One process with a threshold of 20 ms stalls for 30 ms, again and again, in a hundred different functions.'

/**
 * @param {How} how
 * @returns {Promise<Omit<Dimension, 'sizeNames'>>}
 */
async function measure ({ quick, progress }) {
  const sizes = quick ? SIZES.slice(0, 2) : [...SIZES]
  return withChildren('scale/stalls', [[]], async ([child]) => {
    const measured = []
    let [made, reported] = [0, 0]
    for (const size of sizes) {
      for (; made < size; made += Math.min(AT_ONCE, size - made)) reported += await child.ask('stall', Math.min(AT_ONCE, size - made))
      measured.push({ reported, memory: await child.ask('memory') })
      progress(`${size} stalls: ${reported} reported`)
    }
    return {
      name: 'stalls',
      method: METHOD,
      sizes,
      figures: [{ name: 'reported for 100 made', values: measured.map(({ reported }, at) => reported / sizes[at] * 100) }, ...memoryFigures(measured.map(({ memory }) => memory))],
      bounded: 'The last 200 stalls are kept, and 4 MB of their profiles.'
    }
  })
}

module.exports = { measure }
