'use strict'

// An application with more and more routes.

const { chooseProcessors } = require('../../lib/cli/bench/processors')
const { withChildren } = require('../harness/child')
const { fast } = require('../harness/statistics')
const { memoryFigures, rssFigure } = require('./figures')

/** @import { Dimension, How } from '../scale' */

const SIZES = Object.freeze([1, 10, 100, 1000])
const WARM_UP = 20_000
const REQUESTS = 2000
const SLICES = 60

const METHOD = 'Express with that many routes, each asked in turn on a connection without a network. What a request costs is the CPU time of all threads, less what the same costs without loopscope: ' +
  'both are the 5th percentile of their slices, which take turns on one processor. (Express itself looks through its routes one by one: that is in both.)'

/**
 * @param {How} how
 * @returns {Promise<Omit<Dimension, 'sizeNames'>>}
 */
async function measure ({ quick, progress }) {
  const sizes = quick ? SIZES.slice(0, 2) : [...SIZES]
  const measured = []
  const processors = chooseProcessors(true).pinning?.application
  for (const size of sizes) {
    measured.push(await withChildren('scale/routes', [[String(size), 'off'], [String(size), 'on']], children => oneSize(children, quick ? 3 : SLICES), { processors }))
    progress(`${size} routes: ${measured.at(-1)?.ns.toFixed(0)} ns a request`)
  }
  const memory = measured.map(one => one.memory)
  return {
    name: 'routes',
    method: METHOD,
    sizes,
    figures: [{ name: 'more CPU a request, µs', values: measured.map(({ ns }) => ns / 1e3) }, ...memoryFigures(memory), rssFigure(memory)],
    bounded: 'From the 101st route on, requests are counted under `_other`.'
  }
}

/**
 * @param {import('../harness/child').Child[]} children  without and with
 * @param {number} slices
 */
async function oneSize (children, slices) {
  for (const child of children) await child.ask('nsPerRequest', WARM_UP)
  /** @type {number[][]} */
  const [off, on] = [[], []]
  for (let slice = 0; slice < slices; slice++) {
    off.push(await children[0].ask('nsPerRequest', REQUESTS))
    on.push(await children[1].ask('nsPerRequest', REQUESTS))
  }
  return { ns: fast(on) - fast(off), memory: await children[1].ask('memory') }
}

module.exports = { measure }
