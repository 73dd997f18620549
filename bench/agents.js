'use strict'

// What does it take to be there, beside what people use instead? One Express application under each agent, all of them sending to a local server.

const { setTimeout: sleep } = require('node:timers/promises')
const { compare, showComparison, showNoise } = require('./harness/comparisons')
const { freshRounds, showConditions } = require('./harness/fresh-rounds')
const { CONNECTIONS, load } = require('./harness/load')
const { loadedRound } = require('./harness/request-rounds')
const { withSink } = require('./harness/sink')
const { medianOf } = require('./harness/statistics')

/** @import { Child } from './harness/child' */

const BARE = 'bare Express'
const AGAIN = 'bare Express, once more'
const OURS = 'loopscope'
const UNRECORDED = 'loopscope, recorder: false'
const PEERS = ['express-prom-bundle', 'dd-trace', 'dd-trace + profiler', 'OpenTelemetry auto-instrumentations, 10 %', 'elastic-apm-node, 10 %', 'Sentry, 10 % + profiling']
const CASES = Object.freeze([BARE, AGAIN, OURS, UNRECORDED, ...PEERS])

const START_SECONDS = 3
const WARM_UP_SECONDS = 5
const ROUND_SECONDS = 5
const QUIET_SECONDS = 2
const IDLE_SECONDS = 5

const MAX_RATIO = 1.1
const MAX_START_MS = 100
const MAX_MEGABYTES = 30

const METHOD = `A fresh process each round: CPU time of all threads in its first ${START_SECONDS} seconds; then ${WARM_UP_SECONDS} s under autocannon (${CONNECTIONS} connections) to warm up and ` +
  `${ROUND_SECONDS} s that count; resident memory ${QUIET_SECONDS} s later; and CPU time of the next ${IDLE_SECONDS} seconds without requests. Figures are medians. Every agent sends to a server of this benchmark on the same machine ` +
  'that takes everything. What is sampled (10 %) are traces; profilers run all the time. Their packages are in `bench/agents/package.json`.'

/**
 * @typedef {{ startMs: number, megabytes: number, idlePercent: number }} Presence
 */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  return withSink(async ({ port, received }) => {
    /** @type {Map<string, Presence[]>} */
    const presences = new Map(CASES.map(name => [name, []]))
    const rounds = await freshRounds({
      file: 'agent',
      cases: CASES,
      args: [String(port)],
      rounds: quick ? 2 : 6,
      progress,
      prepare: (child, processors) => prepare(child, processors, presence => presences.get(child.hello.name)?.push(presence))
    })
    return report(rounds, presences, [...received.values()].reduce((sum, count) => sum + count, 0))
  })
}

/**
 * @param {Child} child
 * @param {string | undefined} processors
 * @param {(presence: Presence) => void} note
 */
async function prepare (child, processors, note) {
  await sleep(START_SECONDS * 1e3 - child.hello.ageMs)
  const startMs = await child.ask('lifeMicros') / 1e3
  await load(child.hello.port, WARM_UP_SECONDS, processors)
  return async () => {
    const beganMicros = await child.ask('lifeMicros')
    const { value } = await loadedRound(child, ROUND_SECONDS, processors)
    await sleep(QUIET_SECONDS * 1e3)
    const megabytes = await child.ask('rss') / 1e6
    await child.ask('begin')
    await sleep(IDLE_SECONDS * 1e3)
    note({ startMs, megabytes, idlePercent: await child.ask('cpuPercent') })
    return { value, ownMicros: await child.ask('lifeMicros') - beganMicros }
  }
}

/**
 * @param {import('./harness/fresh-rounds').Rounds} rounds
 * @param {Map<string, Presence[]>} presences
 * @param {number} received
 */
function report (rounds, presences, received) {
  const of = (/** @type {string} */ name) => rounds.values[CASES.indexOf(name)]
  const against = (/** @type {string} */ name) => compare(of(name), of(BARE), of(AGAIN))
  const middle = (/** @type {string} */ name, /** @type {keyof Presence} */ figure) => medianOf((presences.get(name) ?? []).map(presence => presence[figure]))
  const more = (/** @type {string} */ name, /** @type {keyof Presence} */ figure) => middle(name, figure) - middle(BARE, figure)
  const ours = against(OURS)
  const cheapest = PEERS.map(name => ({ name, ratio: against(name).byMedian })).sort((left, right) => left.ratio - right.ratio)[0]
  const ratios = PEERS.map(name => against(name).byMedian).sort((left, right) => left - right)
  const megabytes = PEERS.map(name => more(name, 'megabytes')).sort((left, right) => left - right)
  const others = `${PEERS.length} others: ${ratios[0].toFixed(2)} to ${ratios.at(-1)?.toFixed(2)} times, ${megabytes[0].toFixed(0)} to ${megabytes.at(-1)?.toFixed(0)} MB`
  return {
    question: 'What does it take to be there, beside other agents?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU µs a request: minimum / median', 'ratio to bare, by minimum / by median', 'CPU ms in the first three seconds', 'memory after load, MB', 'idle, % of a core'],
      rows: CASES.map(name => [
        name, `${Math.min(...of(name)).toFixed(1)} / ${medianOf(of(name)).toFixed(1)}`, name === BARE || name === AGAIN ? '' : showComparison(against(name)),
        middle(name, 'startMs').toFixed(0), middle(name, 'megabytes').toFixed(0), middle(name, 'idlePercent').toFixed(2)
      ])
    },
    headline: { what: 'being there: CPU of a request beside bare Express, and memory', cost: `${ours.byMedian.toFixed(2)} times, ${more(OURS, 'megabytes').toFixed(0)} MB`, beside: others },
    notes: [`Bare Express differs from itself ${showNoise(ours.noise)} (95 of 100 deals of its rounds).`, `The agents sent ${received} times.`, showConditions(rounds)],
    budgets: [
      { budget: `CPU a request, at most ${MAX_RATIO} times bare Express in the median`, measured: ours.byMedian.toFixed(3), isMet: ours.byMedian <= MAX_RATIO },
      { budget: 'CPU a request, below every other', measured: `${ours.byMedian.toFixed(3)} beside ${cheapest.ratio.toFixed(3)} (${cheapest.name})`, isMet: ours.byMedian < cheapest.ratio },
      { budget: `at most ${MAX_START_MS} ms more CPU in the first ${START_SECONDS} seconds`, measured: `${more(OURS, 'startMs').toFixed(0)} ms`, isMet: more(OURS, 'startMs') <= MAX_START_MS },
      { budget: `at most ${MAX_MEGABYTES} MB more after load`, measured: `${more(OURS, 'megabytes').toFixed(0)} MB`, isMet: more(OURS, 'megabytes') <= MAX_MEGABYTES }
    ]
  }
}

module.exports = { measure }
