'use strict'

// What does a pool of worker threads pay for being watched, while it waits and while it works?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { medianOf, ratios, show, summarize } = require('./harness/statistics')

/** @import { Child } from './harness/child' */

const CASES = Object.freeze(['waiting, not watched', 'waiting, watched', 'at work, not watched', 'at work, watched'])

const SETTLE_MS = 5000 // threads are watched from their second second on
const ROUND_MS = 10_000 // two windows of each thread

const METHOD = 'One process a case, with loopscope and a pool of four worker threads of its own, side by side; watched: option `threads`. At work the pool is given fifty tasks a ' +
  'second, each the same piece of JavaScript of a few milliseconds. Each round reads the CPU time of every thread over the same ten seconds.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 1 : 4
  /** @type {number[][]} */
  const measured = CASES.map(() => [])
  await withChildren('threads', CASES.map(name => name.split(', ')), async children => {
    await sleep(SETTLE_MS)
    for (let round = 0; round < rounds; round++) {
      for (const [index, percent] of (await oneRound(children)).entries()) measured[index].push(percent)
      progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, at) => `${name} ${measured[at].at(-1)?.toFixed(2)} %`).join(', ')}`)
    }
  })
  return report(measured)
}

/**
 * @param {readonly Child[]} children
 * @returns {Promise<number[]>}
 */
async function oneRound (children) {
  for (const child of children) await child.ask('begin')
  await sleep(ROUND_MS)
  const percents = []
  for (const child of children) percents.push(await child.ask('cpuPercent'))
  return percents
}

/** @param {number[][]} measured  by case and round */
function report (measured) {
  return {
    question: 'What do watched worker threads cost?',
    method: METHOD,
    table: {
      columns: ['pool of four', 'CPU, % of one core: minimum', 'median (smallest to largest)', 'more than not watched, by medians', 'ratio to not watched'],
      rows: CASES.map((name, at) => {
        const bare = measured[at - at % 2]
        return [name, Math.min(...measured[at]).toFixed(2), show(summarize(measured[at]), 2), (medianOf(measured[at]) - medianOf(bare)).toFixed(2), show(ratios(measured[at], bare), 2)]
      })
    },
    budgets: []
  }
}

module.exports = { measure }
