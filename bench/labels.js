'use strict'

// What do the labels of samples cost the main thread of a service at work?

const { withChildren } = require('./harness/child')
const { isAtMost, show, summarize } = require('./harness/statistics')
const { FASTEST_MS } = require('../lib/observer/labels/looking')

const TURN_MS = 500
const REQUESTS_PER_SECOND = 1000
const MAX_PERCENT = 0.1

const METHOD = 'A process works on one request, twenty functions deep, for half a second with looks one after the other and for half a second without. What it works less, by the ' +
  'number of looks, is what a look takes of the main thread: the interrupt, the stack, the notes. What a request adds is measured in a loop of a million. The share of a core is what ' +
  `${REQUESTS_PER_SECOND} requests a second and looks as often as they ever come (one in ${FASTEST_MS} ms; a quarter of that when they tell little that is new) take together.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return withChildren('labels', [[]], async ([child]) => {
    /** @type {number[]} */
    const lookMicros = []
    /** @type {number[]} */
    const requestNs = []
    for (let round = -1; round < (quick ? 5 : 20); round++) {
      const off = await child.ask('work', { isLookedAt: false, ms: TURN_MS })
      const on = await child.ask('work', { isLookedAt: true, ms: TURN_MS })
      const ns = await child.ask('notice')
      if (round === -1) continue // not compiled yet
      lookMicros.push((1 - on.turnsPerMs / off.turnsPerMs) / on.looksPerMs * 1e3)
      requestNs.push(ns)
      progress(`round ${round + 1}: ${lookMicros[round].toFixed(1)} µs a look, ${ns.toFixed(0)} ns a request`)
    }
    return report(lookMicros, requestNs)
  })
}

/**
 * @param {number[]} lookMicros  by round
 * @param {number[]} requestNs
 */
function report (lookMicros, requestNs) {
  const percents = lookMicros.map((micros, round) => (micros * 1e3 / FASTEST_MS + requestNs[round] * REQUESTS_PER_SECOND / 1e3) / 1e6 * 100)
  const percent = summarize(percents)
  return {
    question: 'What do the labels of samples cost?',
    method: METHOD,
    table: {
      columns: ['a look, µs', 'a request, ns', `of a core at ${REQUESTS_PER_SECOND} requests/s, %`],
      rows: [[show(summarize(lookMicros), 1), show(summarize(requestNs), 0), show(percent, 3)]]
    },
    notes: [],
    budgets: [{
      budget: `labels take at most ${MAX_PERCENT} % of a core at ${REQUESTS_PER_SECOND} requests/s`,
      measured: `${show(percent, 3)} %`,
      isMet: isAtMost(percent, MAX_PERCENT)
    }]
  }
}

module.exports = { measure }
