'use strict'

// An application with more and more functions.

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('../harness/child')
const { memoryFigures, rssFigure } = require('./figures')

/** @import { Dimension, How } from '../scale' */

const SIZES = Object.freeze([10, 100, 1000, 10_000, 100_000])
const SETTLE_MS = 20_000
const ROUND_MS = 20_000
const ROTATIONS = ROUND_MS / 5000

const METHOD = 'A process with that many compiled functions is at work for a fifth of the time, and calls them in turn. The recorder ends a window every five seconds: what one end takes of the main thread, ' +
  'over 20 seconds.'

/**
 * @param {How} how
 * @returns {Promise<Omit<Dimension, 'sizeNames'>>}
 */
async function measure ({ quick, progress }) {
  const sizes = quick ? SIZES.slice(0, 2) : [...SIZES]
  const measured = []
  for (const size of sizes) {
    measured.push(await withChildren('scale/functions', [[String(size)]], ([child]) => oneSize(child)))
    progress(`${size} functions: ${measured.at(-1)?.rotationMs.toFixed(2)} ms a window`)
  }
  const memory = measured.map(one => one.memory)
  return {
    name: 'functions',
    method: METHOD,
    sizes,
    figures: [{ name: 'main thread, ms a window', values: measured.map(({ rotationMs }) => rotationMs) }, ...memoryFigures(memory), rssFigure(memory)],
    bounded: 'A window holds the functions that were seen in it, at most one a sample: 500 in five seconds. V8 itself keeps the place of every function while it records.'
  }
}

/** @param {import('../harness/child').Child} child */
async function oneSize (child) {
  await sleep(SETTLE_MS)
  const before = await child.ask('recorderSeconds')
  await sleep(ROUND_MS)
  const rotationMs = (await child.ask('recorderSeconds') - before) * 1e3 / ROTATIONS
  return { rotationMs, memory: await child.ask('memory') }
}

module.exports = { measure }
