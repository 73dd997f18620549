'use strict'

// CPU µs a request of servers that say hello (harness/hello-server.js), each round in a fresh process.

const { freshRounds } = require('./fresh-rounds')
const { load } = require('./load')

/** @import { Child } from './child' */
/** @import { Plan, Rounds } from './fresh-rounds' */

// On a slow machine V8 compiles what a request runs for three seconds and more, that of bare Express as well: a service is older than that.
const WARM_UP_SECONDS = 8

/**
 * @param {Omit<Plan, 'prepare'> & { roundSeconds: number }} plan
 * @returns {Promise<Rounds>}
 */
function requestRounds ({ roundSeconds, ...plan }) {
  return freshRounds({ ...plan, prepare: (child, processors) => prepare(child, roundSeconds, processors) })
}

/**
 * @param {Child} child
 * @param {number} seconds
 * @param {string | undefined} processors
 */
async function prepare (child, seconds, processors) {
  await load(child.hello.port, WARM_UP_SECONDS, processors)
  return () => loadedRound(child, seconds, processors)
}

/**
 * @param {Child} child
 * @param {number} seconds
 * @param {string | undefined} processors
 * @returns {Promise<import('./fresh-rounds').Measured>} CPU µs a request
 */
async function loadedRound (child, seconds, processors) {
  const answeredBefore = await child.ask('answered')
  await child.ask('begin')
  await load(child.hello.port, seconds, processors)
  const ownMicros = await child.ask('cpuMicros')
  return { value: ownMicros / (await child.ask('answered') - answeredBefore), ownMicros }
}

module.exports = { loadedRound, requestRounds, WARM_UP_SECONDS }
