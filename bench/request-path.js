'use strict'

// What does a request take of the main thread, in nanoseconds? Without a network and within one process, so that a hundred of them show.

const { chooseProcessors } = require('../lib/cli/bench/processors')
const { withChildren } = require('./harness/child')
const { fast, isAtMost, medianOf, show, summarize } = require('./harness/statistics')
const { turns } = require('./harness/turns')

/** @import { Child } from './harness/child' */

const OFF = 'off'
const AGAIN = 'off, once more'
const ROUTES = 'AsyncLocalStorage'
const BY_HAND = 'by hand'
const OURS = 'on'
const RIVAL = 'express-prom-bundle'
const KINDS = Object.freeze([BY_HAND, OURS, RIVAL])
const MAX_NS = 500

const TURNS = 10
const WARM_UP_TURNS = 2
// Short slices: most of them have nothing in them that comes once in a while, neither another process nor a sample nor a collection of garbage.
const TURN = Object.freeze({ warmUp: 1000, slices: 60, requests: 25 })

const METHOD = 'Express answers "hello world" on a connection without a network, one request after the other, its parser and its response included. In each process one of the cases takes turns with ' +
  `\`${OFF}\` and \`${ROUTES}\`, behind a middleware that does nothing but call theirs. \`${ROUTES}\` runs the handler in a store and does nothing else, which is what routes need; \`${BY_HAND}\` does what loopscope does ` +
  'for such a request, written for this one application (`bench/harness/by-hand.js`). In a process a case takes the 5th percentile of its slices of ' +
  `${TURN.requests} requests, which have nothing in them that comes once in a while; what it allocates, and so has collected, is the median of its slices. What V8's sampler adds to all code is not in it: see above.`

/** @typedef {Record<string, { ns: number, bytes: number }>} Taken  in one process: a request, by case */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const processors = chooseProcessors(true).pinning?.application
  /** @type {Record<string, Taken[]>} */
  const measured = Object.fromEntries(KINDS.map(kind => [kind, []]))
  const rounds = quick ? 2 : 12
  for (let round = 0; round < rounds; round++) {
    for (const at of turns(KINDS, round)) {
      const taken = await withChildren('request-path', [[KINDS[at]]], ([child]) => takeTurns(child, [OFF, AGAIN, ROUTES, KINDS[at]]), { processors })
      measured[KINDS[at]].push(taken)
      progress(`round ${round + 1} of ${rounds}: ${Object.entries(taken).map(([name, { ns }]) => `${name} ${ns.toFixed(0)}`).join(', ')}`)
    }
  }
  return report(measured)
}

/**
 * @param {Child} child
 * @param {string[]} cases
 * @returns {Promise<Taken>}
 */
async function takeTurns (child, cases) {
  /** @type {{ ns: number, bytes: number }[][]} */
  const slices = cases.map(() => [])
  for (let turn = 0; turn < WARM_UP_TURNS + TURNS; turn++) {
    for (const at of turns(cases, turn)) {
      const found = await child.ask('turn', { name: cases[at], ...TURN })
      if (turn >= WARM_UP_TURNS) slices[at].push(...found)
    }
  }
  return Object.fromEntries(cases.map((name, at) => [name, { ns: fast(slices[at].map(({ ns }) => ns)), bytes: medianOf(slices[at].map(({ bytes }) => bytes)) }]))
}

/** @param {Record<string, Taken[]>} measured  by kind and process */
function report (measured) {
  const all = Object.values(measured).flat()
  const having = (/** @type {string} */ name) => all.filter(taken => name in taken)
  const ns = (/** @type {string} */ name) => having(name).map(taken => taken[name].ns)
  const more = (/** @type {string} */ name, base = OFF) => summarize(having(name).map(taken => taken[name].ns - taken[base].ns))
  const kilobytes = (/** @type {string} */ name, base = '') => (medianOf(having(name).map(taken => taken[name].bytes - (taken[base]?.bytes ?? 0))) / 1e3).toFixed(1)
  const ours = more(OURS, ROUTES)
  return {
    question: 'What does a request take of the main thread?',
    method: METHOD,
    table: {
      columns: ['case', 'ns a request: median of the processes (smallest to largest)', `ns more than \`${OFF}\` in the same process`, 'kB allocated'],
      rows: [
        ...[OFF, AGAIN, ROUTES, BY_HAND, OURS, RIVAL].map(name => [name, show(summarize(ns(name)), 0), name === OFF ? '' : show(more(name), 0), kilobytes(name)]),
        ...[BY_HAND, OURS].map(name => [`${name}, beyond ${ROUTES}`, '', show(more(name, ROUTES), 0), kilobytes(name, ROUTES)])
      ]
    },
    budgets: [{
      budget: `on takes at most ${MAX_NS} ns more than ${ROUTES}`,
      measured: `${show(ours, 0)} (${BY_HAND}: ${show(more(BY_HAND, ROUTES), 0)})`,
      isMet: isAtMost(ours, MAX_NS)
    }]
  }
}

module.exports = { measure }
