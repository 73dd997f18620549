'use strict'

// What does asking for the time cost, and how old is the answer?

const { withChildren } = require('./harness/child')
const { differences, isAtLeast, ratios, show, summarize } = require('./harness/statistics')

const WAYS = Object.freeze(['Date.now()', 'performance.now()', 'clock.now()', 'clock.now() of a new clock', 'clock.now() without diagnostics', 'a thread that does nothing else', 'hand-written variable'])
const SITUATIONS = Object.freeze(['idle', 'under load', 'during a block'])
const OURS = 'clock.now()'
const NEW = 'clock.now() of a new clock'
const THREAD = 'a thread that does nothing else'
const LOOP = 'empty loop'

const MIN_TIMES_FASTER = 15
const MAX_STALENESS_MS = 25

const METHOD = 'One process asks in each way in turns, some 20 ms a turn, and is started anew three times. The loop stores every answer in a `Float64Array`, ' +
  'so no call can be left out; what a loop that stores a constant takes is subtracted from the nanoseconds, but not from either side of “times faster”, ' +
  'which therefore says too little of what is fast. Calls of a loop overlap in the processor: this is throughput, not the delay of a single call. Staleness is the ' +
  'longest that the answer was behind `Date.now()` in two seconds, looked at from the main thread itself: each millisecond while it idles, after each of many ' +
  'small pieces of work, and without a pause while it blocks the loop; a new clock is made in the turn in which the looking begins. `a thread that does nothing else` writes the time of day into shared memory every 10 ms, as often as our observer does: ' +
  'as old as its answer is, the machine makes it. The hand-written variable is renewed by `setInterval` every second.'

/** @typedef {Record<string, number>[]} Rounds  by name of the way */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  /** @type {Rounds} */
  const speeds = []
  /** @type {Record<string, Rounds>} */
  const stalenesses = Object.fromEntries(SITUATIONS.map(situation => [situation, []]))
  const starts = quick ? 1 : 3
  for (let start = 0; start < starts; start++) {
    await withChildren('clock', [[]], async ([child]) => {
      for (let round = 0; round < (quick ? 3 : 15); round++) speeds.push(await child.ask('nsPerCall'))
      for (const situation of SITUATIONS) {
        for (let round = 0; round < (quick ? 1 : 3); round++) stalenesses[situation].push(await child.ask('stalenessMs', situation))
      }
    })
    progress(`start ${start + 1} of ${starts}`)
  }
  return report(speeds, stalenesses)
}

/**
 * @param {Rounds} speeds
 * @param {Record<string, Rounds>} stalenesses  by situation
 */
function report (speeds, stalenesses) {
  const ns = (/** @type {string} */ way) => speeds.map(round => round[way])
  const timesFaster = (/** @type {string} */ way) => ratios(ns('Date.now()'), ns(way))
  const staleness = (/** @type {string} */ situation, /** @type {string} */ way) => summarize(stalenesses[situation].map(round => round[way]))
  const untimed = (/** @type {string} */ way) => way === THREAD ? '' : `as ${OURS}`
  const isTimed = (/** @type {string} */ way) => way in speeds[0]
  const isWatched = (/** @type {string} */ way) => way in stalenesses[SITUATIONS[0]][0]
  const blocked = (/** @type {string[]} */ ...ways) => summarize(ways.flatMap(way => stalenesses['during a block'].map(round => round[way])))
  return {
    question: 'What does asking for the time cost, and how old is the answer?',
    method: METHOD,
    table: {
      columns: ['way', 'ns a call', 'times faster than `Date.now()`', ...SITUATIONS.map(situation => `stale ${situation}, ms`)],
      rows: WAYS.map(way => [
        way,
        ...(isTimed(way) ? [show(differences(ns(way), ns(LOOP)), 2), show(timesFaster(way), 1)] : [untimed(way), untimed(way)]),
        ...SITUATIONS.map(situation => isWatched(way) ? show(staleness(situation, way), 0) : '')
      ])
    },
    notes: [`The loop that stores a constant takes ${show(summarize(ns(LOOP)), 2)} ns a round.`],
    budgets: [
      {
        budget: `${OURS} is at least ${MIN_TIMES_FASTER} times faster than Date.now()`,
        measured: show(timesFaster(OURS), 1),
        isMet: isAtLeast(timesFaster(OURS), MIN_TIMES_FASTER)
      },
      {
        budget: `it is never more than ${MAX_STALENESS_MS} ms behind during a block of two seconds, also when it is first used in it`,
        measured: `${show(blocked(OURS, NEW), 0)} ms (${THREAD}: ${show(blocked(THREAD), 0)})`,
        isMet: blocked(OURS, NEW).max <= MAX_STALENESS_MS
      }
    ]
  }
}

module.exports = { measure }
