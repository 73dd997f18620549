'use strict'

// What does a request pay while loopscope samples which lines allocate what stays (`loopscope memory --sites`)?

const { chooseProcessors } = require('../lib/cli/bench/processors')
const { withChildren } = require('./harness/child')
const { isAtMost, medianOf, show, summarize } = require('./harness/statistics')

/** @import { Child } from './harness/child' */

const PATHS = Object.freeze(['/json', '/upload'])
const WHAT = Object.freeze({ '/json': 'JSON, 30 rows', '/upload': 'an upload of 60 kB' })
const MAX_RATIO = 1.03
const TURNS = Object.freeze(['off', 'off, once more', 'armed'])
const WARM_UP = 8000
const TURN = Object.freeze({ warmUp: 20_000, slices: 200, requests: 20 })
const FASTER = 0.25 // of the slices: those in which nothing else had the processor; samples are in nearly all

const METHOD = `Express on a connection without a network, one request after the other, loopscope on. A fresh process each round; in it ${TURNS.map(name => `\`${name}\``).join(', ')} one after the other, ` +
  `each the lower quartile of ${TURN.slices} slices of ${TURN.requests} requests after a warm-up. Of a request through the kernel, which takes two to three times as long, the share is smaller. The readings of the heap are not in ` +
  'it: they are left out where they would take more than 1.5 % of the time.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const processors = chooseProcessors(true).pinning?.application
  /** @type {Record<string, number[][]>} */
  const measured = Object.fromEntries(PATHS.map(path => [path, []]))
  const rounds = quick ? 1 : 8
  for (let round = 0; round < rounds; round++) {
    for (const path of PATHS) {
      const taken = await withChildren('allocation-sites', [[path]], ([child]) => takeTurns(child), { processors })
      measured[path].push(taken)
      progress(`round ${round + 1} of ${rounds}: ${path} ${taken.map(micros => micros.toFixed(1)).join(', ')} µs`)
    }
  }
  return report(measured)
}

/**
 * @param {Child} child
 * @returns {Promise<number[]>} microseconds a request, by turn
 */
async function takeTurns (child) {
  const taken = []
  await child.ask('turn', { ...TURN, warmUp: WARM_UP, slices: 1 })
  for (const name of TURNS) {
    if (name === 'armed') await child.ask('arm')
    const slices = await child.ask('turn', TURN)
    taken.push(slices.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b)[Math.floor(slices.length * FASTER)])
  }
  return taken
}

/** @param {Record<string, number[][]>} measured  by path, process and turn */
function report (measured) {
  const ratio = (/** @type {string} */ path, /** @type {number} */ at) => summarize(measured[path].map(taken => taken[at] / medianOf(taken.slice(0, 2))))
  return {
    question: 'What does a request pay while allocations are sampled by line?',
    method: METHOD,
    table: {
      columns: ['request', ...TURNS.map(name => `${name}, µs`), 'off, once more, to off', 'armed to off'],
      rows: Object.entries(WHAT).map(([path, what]) => [
        what, ...TURNS.map((_, at) => show(summarize(measured[path].map(taken => taken[at])), 1)), show(summarize(measured[path].map(([off, again]) => again / off)), 3), show(ratio(path, 2), 3)
      ])
    },
    budgets: Object.entries(WHAT).map(([path, what]) => {
      const armed = ratio(path, 2)
      return { budget: `${what}: armed takes at most ${MAX_RATIO} of off`, measured: show(armed, 3), isMet: isAtMost(armed, MAX_RATIO) }
    })
  }
}

module.exports = { measure }
