'use strict'

// What do the labels of samples cost the main thread of a service at work?

const { withChildren } = require('./harness/child')
const { isAtMost, show, summarize } = require('./harness/statistics')
const { FASTEST_MS } = require('../lib/observer/labels/probe-scheduler')

const TURN_MS = 500
const REQUESTS_PER_SECOND = 1000
const MAX_PERCENT = 0.1

const METHOD = 'A process works on one request, twenty functions deep, for half a second with probes one after the other and for half a second without. What it works less, by the ' +
  'number of probes, is what a probe takes of the main thread: the interrupt, the stack, the notes. What a request adds is measured in a loop of a million. The share of a core is what ' +
  `${REQUESTS_PER_SECOND} requests a second and probes as often as they ever come (one in ${FASTEST_MS} ms; a quarter of that when they tell little that is new) take together.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return withChildren('labels', [[]], async ([child]) => {
    /** @type {number[]} */
    const probeMicros = []
    /** @type {number[]} */
    const requestNs = []
    for (let round = -1; round < (quick ? 5 : 20); round++) {
      const off = await child.ask('work', { isProbed: false, ms: TURN_MS })
      const on = await child.ask('work', { isProbed: true, ms: TURN_MS })
      const ns = await child.ask('notice')
      if (round === -1) continue // not compiled yet
      probeMicros.push((1 - on.turnsPerMs / off.turnsPerMs) / on.probesPerMs * 1e3)
      requestNs.push(ns)
      progress(`round ${round + 1}: ${probeMicros[round].toFixed(1)} µs a probe, ${ns.toFixed(0)} ns a request`)
    }
    return report(probeMicros, requestNs)
  })
}

/**
 * @param {number[]} probeMicros  by round
 * @param {number[]} requestNs
 */
function report (probeMicros, requestNs) {
  const percents = probeMicros.map((micros, round) => (micros * 1e3 / FASTEST_MS + requestNs[round] * REQUESTS_PER_SECOND / 1e3) / 1e6 * 100)
  const percent = summarize(percents)
  return {
    question: 'What do the labels of samples cost?',
    method: METHOD,
    table: {
      columns: ['a probe, µs', 'a request, ns', `of a core at ${REQUESTS_PER_SECOND} requests/s, %`],
      rows: [[show(summarize(probeMicros), 1), show(summarize(requestNs), 0), show(percent, 3)]]
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
