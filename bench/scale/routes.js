'use strict'

// An application with more and more routes.

const { withChildren } = require('../harness/child')
const { medianOf } = require('../harness/noise')
const { memoryFigures } = require('./figures')

/** @import { Dimension, How } from '../scale' */

const SIZES = Object.freeze([1, 10, 100, 1000])
const WARM_UP = 20_000
const REQUESTS = 5000

const METHOD = 'Express with that many routes, each asked in turn on a connection without a network. What a request costs is the CPU time of all threads, less what the same costs without loopscope: ' +
  'medians of slices that take turns. (Express itself looks through its routes one by one: that is in both.)'

/**
 * @param {How} how
 * @returns {Promise<Omit<Dimension, 'sizeNames'>>}
 */
async function measure ({ quick, progress }) {
  const sizes = quick ? SIZES.slice(0, 2) : [...SIZES]
  const measured = []
  for (const size of sizes) {
    measured.push(await withChildren('scale/routes', [[String(size), 'off'], [String(size), 'on']], children => oneSize(children, quick ? 3 : 15)))
    progress(`${size} routes: ${measured.at(-1)?.ns.toFixed(0)} ns a request`)
  }
  return {
    name: 'routes',
    method: METHOD,
    sizes,
    figures: [{ name: 'more CPU a request, µs', values: measured.map(({ ns }) => ns / 1e3) }, ...memoryFigures(measured.map(({ memory }) => memory))],
    bounded: 'From the 101st route on, requests are counted under `_other`.'
  }
}

/**
 * @param {import('../harness/child').Child[]} children  without and with
 * @param {number} slices
 */
async function oneSize (children, slices) {
  for (const child of children) await child.ask('nsPerRequest', WARM_UP)
  /** @type {number[]} */
  const more = []
  for (let slice = 0; slice < slices; slice++) {
    const [off, on] = [await children[0].ask('nsPerRequest', REQUESTS), await children[1].ask('nsPerRequest', REQUESTS)]
    more.push(on - off)
  }
  return { ns: medianOf(more), memory: await children[1].ask('memory') }
}

module.exports = { measure }
