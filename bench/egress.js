'use strict'

// What does a process pay for sending profiles of itself, while it waits and while it works?

const { atMostRival } = require('./harness/comparisons')
const { idleAndBusy } = require('./harness/idle-and-busy')
const { idleRounds, SETTLED_SECONDS } = require('./harness/idle-rounds')
const { CONNECTIONS } = require('./harness/load')
const { medianOf } = require('./harness/statistics')
const { requestRounds, WARM_UP_SECONDS } = require('./harness/request-rounds')
const { withSink } = require('./harness/sink')

/** @import { Rounds } from './harness/fresh-rounds' */
/** @import { Idle } from './harness/idle-rounds' */

const OFF = 'loopscope, no egress'
const AGAIN = 'loopscope, no egress, once more'
const RIVAL = '@pyroscope/nodejs'
const OURS = Object.freeze(['to pyroscope', 'to otlp', 'to put'])
const CASES = Object.freeze(['nothing', OFF, AGAIN, ...OURS, RIVAL])

const ROUND_SECONDS = 10 // as long as what is between two profiles that are sent
const QUICK_SETTLE_MS = 15_000 // the first one has everything loaded that is needed for it

const METHOD = 'An Express server that says hello sends a CPU profile of itself every ten seconds, more often than by default (15), to a server on the same machine that takes everything. While it waits: one process ' +
  `a case, side by side on one processor, from its ${SETTLED_SECONDS}th second on, CPU time of every thread over the same ten seconds; of a process that does nothing nothing is sent but to \`put\`. At work: a fresh process each round, under autocannon ` +
  `(${CONNECTIONS} connections), ${WARM_UP_SECONDS} s to warm up, ${ROUND_SECONDS} s that count, with one profile sent. \`more\` and \`ratio\` are to loopscope without egress, which runs twice. The rival samples as often, with CPU time, and sends as often.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
function measure ({ quick, progress }) {
  return withSink(async ({ port, received }) => {
    const plan = { file: 'egress', cases: CASES, args: [String(port)], progress }
    const waiting = await idleRounds({ ...plan, generations: quick ? 1 : 3, rounds: quick ? 1 : 4, roundMs: ROUND_SECONDS * 1e3, settleMs: quick ? QUICK_SETTLE_MS : SETTLED_SECONDS * 1e3 })
    const busy = await requestRounds({ ...plan, rounds: quick ? 1 : 8, roundSeconds: ROUND_SECONDS })
    return report(waiting, busy, received)
  })
}

/**
 * @param {Idle[][]} waiting
 * @param {Rounds} busy
 * @param {Map<string, number>} received
 */
function report (waiting, busy, received) {
  const { table, notes, percentsOf, against } = idleAndBusy({ cases: CASES, waiting, busy, off: OFF, again: AGAIN })
  const counts = [...OURS, RIVAL].map(name => `${received.get(encodeURIComponent(name)) ?? 0} ${name}`)
  const [ours, rival] = [against(OURS[0]), against(RIVAL)]
  const [idle, idleRival] = [medianOf(percentsOf(OURS[0])), medianOf(percentsOf(RIVAL))]
  return {
    question: 'What does sending profiles cost?',
    method: METHOD,
    table,
    notes: [...notes, `Requests that arrived: ${counts.join(', ')}.`],
    headline: { what: 'sending profiles at work', cost: `${ours.byMedian.toFixed(3)} times loopscope without`, beside: `${RIVAL}: ${rival.byMedian.toFixed(3)}` },
    budgets: [
      { budget: `waiting, all of loopscope with pyroscope below ${RIVAL}`, measured: `${idle.toFixed(2)} % beside ${idleRival.toFixed(2)} %, by median`, isMet: idle < idleRival },
      atMostRival(`at work, all of loopscope with pyroscope below ${RIVAL}`, ours, rival)
    ]
  }
}

module.exports = { measure }
