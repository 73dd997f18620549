'use strict'

// A group of more and more workers.

const { setTimeout: sleep } = require('node:timers/promises')
const { askForGroupAnswer } = require('../../lib/shared/group/group-answers')
const { listMembers } = require('../../lib/shared/group/members')
const { withChildren } = require('../harness/child')
const { medianOf } = require('../harness/statistics')

/** @import { Dimension, How } from '../scale' */

const SIZES = Object.freeze([1, 2, 4, 8, 16])
const SETTLE_MS = 15_000
const REST_MS = 1500 // who asks at once is given the same answer
const ROUNDS = 5
const ANSWERS = /** @type {const} */ ({ findings: 'why --group, ms', stalls: 'stalls --group, ms' })

const METHOD = 'A cluster of that many workers that work for 2 ms every 100 ms is asked as the command line asks; the first answer is left out. Findings are read twice, a second apart, unless somebody asked shortly before. The command and all workers share the processors of one machine.'

/**
 * @param {How} how
 * @returns {Promise<Omit<Dimension, 'sizeNames'>>}
 */
async function measure ({ quick, progress }) {
  const sizes = quick ? SIZES.slice(0, 2) : [...SIZES]
  /** @type {number[][]} */
  const measured = []
  for (const size of sizes) {
    measured.push(await withChildren('group', [[String(size)]], ([child]) => oneSize(child.hello.controlDir)))
    progress(`${size} workers: ${measured.at(-1)?.map(ms => ms.toFixed(0)).join(' and ')} ms`)
  }
  return {
    name: 'workers',
    method: METHOD,
    sizes,
    figures: Object.values(ANSWERS).map((name, at) => ({ name, values: measured.map(medians => medians[at]) })),
    bounded: 'Every process has 2.5 seconds to answer; who has not is marked as missing.'
  }
}

/** @param {string} directory */
async function oneSize (directory) {
  await sleep(SETTLE_MS)
  const members = await listMembers({ directories: [directory] })
  const medians = []
  for (const name of /** @type {(keyof typeof ANSWERS)[]} */ (Object.keys(ANSWERS))) {
    await askForGroupAnswer(name, { name: 'group', members })
    const times = []
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(REST_MS)
      const startMs = performance.now()
      await askForGroupAnswer(name, { name: 'group', members })
      times.push(performance.now() - startMs)
    }
    medians.push(medianOf(times))
  }
  return medians
}

module.exports = { measure }
