'use strict'

// An application that runs for a day, its windows in minutes.

const { withChildren } = require('../harness/child')
const { memoryFigures } = require('./figures')

/** @import { Dimension, How } from '../scale' */

const TIMES = Object.freeze({ '1 minute': 12, '10 minutes': 120, '1 hour': 720, '6 hours': 4320, '24 hours': 17_280 })
const AT_ONCE = 500 // windows a question: an answer must not take a minute

const METHOD = 'One process that works a little; its recorder is made to end a window every 20 ms in place of every five seconds, so that the windows of a day pass in six minutes, of which the last ten seconds ' +
  'are kept: many more than there would be. (From ten minutes on as many are kept as ever will be.)'

/**
 * @param {How} how
 * @returns {Promise<Dimension>}
 */
async function measure ({ quick, progress }) {
  const times = Object.entries(TIMES).slice(0, quick ? 2 : undefined)
  return withChildren('scale/windows', [[]], async ([child]) => {
    const memory = []
    let windows = 0
    for (const [name, wanted] of times) {
      for (; windows < wanted; windows += Math.min(AT_ONCE, wanted - windows)) await child.ask('rotate', Math.min(AT_ONCE, wanted - windows))
      memory.push(await child.ask('memory'))
      progress(`windows of ${name}`)
    }
    return {
      name: 'time',
      method: METHOD,
      sizes: times.map(([, wanted]) => wanted),
      sizeNames: times.map(([name]) => name),
      figures: memoryFigures(memory),
      bounded: 'Windows are kept for `recorder.keepSeconds`, a minute by default.'
    }
  })
}

module.exports = { measure }
