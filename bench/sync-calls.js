'use strict'

// What does the exact sync-call detector add to a call that it watches?

const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')
const { differences, ratios, show, summarize } = require('./harness/statistics')

const CASES = Object.freeze([['off'], ['on']])
const LOOP = 'empty loop'
const COUNTED = 'Date.now'
const CONTEXTS = Object.freeze([{ title: 'outside requests', isInRequest: false }, { title: 'in a request', isInRequest: true }])

// The detector learns each second how often an API is called, and reads fewer stacks from then on.
const LEARNING_MS = 1200
const ROUND_MS = 1000

const SELDOM_API = 'fs.existsSync'
const SELDOM_CALLS = 50 // of the hundred a second whose stacks are all read
const FORGETTING_MS = 2200

const NS_PER_MICROSECOND = 1e3

const MAX_MORE_NS = 300
const MAX_COUNTED_RATIO = 1.5

const METHOD = 'Two servers with `diagnostics()`, one of them with `syncCalls: true`, take turns at calling an API in a loop for some 20 ms, inside a request ' +
  'and outside. A round is a second of turns for each API, after a second in which the detector learns how often it is called, and is the median of its pairs; both ' +
  'servers are started anew for every two rounds. What a loop takes that only stores a constant is subtracted from both. The calls are small: sixteen random bytes, ' +
  'a file and JSON of 61 characters, one iteration of PBKDF2.'

/** @typedef {{ off: number[], on: number[] }} Pairs  nanoseconds a call, by turn or round */
/** @typedef {{ api: string, calls: number, isInRequest: boolean }} Slice */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  /** @type {Record<string, Pairs>[]} */
  const results = CONTEXTS.map(() => ({}))
  const seldom = noPairs()
  /** @type {any[]} */
  let hellos = []
  const starts = quick ? 1 : 3
  for (let start = 0; start < starts; start++) {
    await withChildren('sync-calls', CASES, async children => {
      hellos = children.map(({ hello }) => hello)
      for (const api of hellos[0].apis) {
        progress(`start ${start + 1} of ${starts}: ${api}`)
        for (const [index, { isInRequest }] of CONTEXTS.entries()) {
          await measureApi(children, { api, isInRequest }, results[index][api] ??= noPairs(), quick ? 1 : 2)
        }
      }
      await measureSeldom(children, seldom, quick ? 2 : 4)
    })
  }
  return report(results, seldom, hellos)
}

/** @returns {Pairs} */
function noPairs () {
  return { off: [], on: [] }
}

/**
 * @param {any[]} children
 * @param {Omit<Slice, 'calls'>} what
 * @param {Pairs} result
 * @param {number} rounds
 */
async function measureApi (children, what, result, rounds) {
  const calls = await children[0].ask('calibrate', what.api)
  await takeTurns(children, { ...what, calls }, LEARNING_MS)
  for (let round = 0; round < rounds; round++) {
    const { off, on } = await takeTurns(children, { ...what, calls }, ROUND_MS)
    const offNs = summarize(off).median
    result.off.push(offNs)
    result.on.push(offNs + differences(on, off).median)
  }
}

/**
 * @param {any[]} children
 * @param {Slice} slice
 * @param {number} durationMs
 */
async function takeTurns (children, slice, durationMs) {
  const pairs = noPairs()
  const startMs = performance.now()
  while (performance.now() - startMs < durationMs) await takeTurn(children, slice, pairs)
  return pairs
}

/**
 * @param {any[]} children
 * @param {Slice} slice
 * @param {Pairs} pairs
 */
async function takeTurn ([off, on], slice, pairs) {
  pairs.off.push(await off.ask('nsPerCall', slice))
  pairs.on.push(await on.ask('nsPerCall', slice))
}

/**
 * @param {any[]} children
 * @param {Pairs} seldom
 * @param {number} rounds
 */
async function measureSeldom (children, seldom, rounds) {
  for (let round = 0; round < rounds; round++) {
    await sleep(FORGETTING_MS)
    await takeTurn(children, { api: SELDOM_API, calls: SELDOM_CALLS, isInRequest: true }, seldom)
  }
}

/**
 * @param {Record<string, Pairs>[]} results  by context and API
 * @param {Pairs} seldom
 * @param {{ apis: string[], watched: number, replaced: number }[]} hellos
 */
function report (results, seldom, [off, on]) {
  const loopNs = summarize(results[0][LOOP].off).median
  const apis = off.apis.filter(api => api !== LOOP)
  const withoutLoop = (/** @type {number[]} */ values) => values.map(ns => ns - loopNs)
  const more = (/** @type {Pairs} */ pairs) => differences(pairs.on, pairs.off)
  const ratio = (/** @type {Pairs} */ pairs) => ratios(withoutLoop(pairs.on), withoutLoop(pairs.off))
  const cases = results.flatMap((ofApi, index) => apis.map(api => ({ title: `${api}, ${CONTEXTS[index].title}`, more: more(ofApi[api]) })))
  const worst = cases.reduce((left, right) => right.more.median > left.more.median ? right : left)
  const counted = results.map(ofApi => ratio(ofApi[COUNTED]))
  return {
    question: 'What does the exact sync-call detector add to a call?',
    method: METHOD,
    table: {
      columns: ['call', 'off, ns', ...CONTEXTS.flatMap(({ title }) => [`more with it on, ${title}, ns`, `ratio, ${title}`])],
      rows: apis.map(api => [
        api,
        show(summarize(withoutLoop(results[0][api].off)), 0),
        ...results.flatMap(ofApi => [show(more(ofApi[api]), 0), show(ratio(ofApi[api]), 2)])
      ])
    },
    notes: [
      `A call whose stack is read costs ${show(scaled(more(seldom), NS_PER_MICROSECOND), 1)} µs more; those are the first hundred or so calls of an API in each second.`,
      `On: ${on.replaced} of ${on.watched} functions that can be watched are replaced.`
    ],
    budgets: [
      {
        budget: `at most ${MAX_MORE_NS} ns more for a call`,
        measured: `${show(worst.more, 0)} ns for the dearest, ${worst.title}`,
        isMet: worst.more.median <= MAX_MORE_NS
      },
      {
        budget: `a counted ${COUNTED}() takes at most ${MAX_COUNTED_RATIO} times as long`,
        measured: counted.map((summary, index) => `${show(summary, 2)} ${CONTEXTS[index].title}`).join(', '),
        isMet: counted.every(({ median }) => median <= MAX_COUNTED_RATIO)
      },
      { budget: 'off: no function is replaced, so no call costs more', measured: `${off.replaced} of ${off.watched} replaced`, isMet: off.replaced === 0 }
    ]
  }
}

/**
 * @param {import('./harness/statistics').Summary} summary
 * @param {number} unit
 */
function scaled ({ median, min, max }, unit) {
  return { median: median / unit, min: min / unit, max: max / unit }
}

module.exports = { measure }
