'use strict'

// What do rules cost that wait for what does not happen, in a process that waits and in one that works?

const { atMost } = require('./harness/comparisons')
const { idleAndBusy } = require('./harness/idle-and-busy')
const { idleRounds, SETTLED_SECONDS } = require('./harness/idle-rounds')
const { CONNECTIONS } = require('./harness/load')
const { requestRounds, WARM_UP_SECONDS } = require('./harness/request-rounds')

/** @import { Rounds } from './harness/fresh-rounds' */
/** @import { Idle } from './harness/idle-rounds' */

const OFF = 'no rules'
const AGAIN = 'no rules, once more'
const ON = 'ten rules'
const CASES = Object.freeze([OFF, AGAIN, ON, 'ten rules, dry run'])

const WAITING_MS = 60_000 // findings are made once a minute
const BUSY_SECONDS = 5 // the main thread is asked every five seconds
const MAX_RATIO = 1.01

const METHOD = 'An Express server that says hello, with loopscope, and with ten rules whose conditions are never met: all nine conditions there are, two of them findings. While it waits: one process a case, ' +
  `side by side on one processor, from its ${SETTLED_SECONDS}th second on, CPU time of every thread over the same minute, in which findings are made once. At work: a fresh process each round, under autocannon ` +
  `(${CONNECTIONS} connections), ${WARM_UP_SECONDS} s to warm up, ${BUSY_SECONDS} s that count, without findings. \`more\` and \`ratio\` are to loopscope without rules, which runs twice.`

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const plan = { file: 'rules', cases: CASES, progress }
  const waiting = await idleRounds({ ...plan, generations: quick ? 1 : 3, rounds: quick ? 1 : 2, roundMs: WAITING_MS, settleMs: quick ? 0 : SETTLED_SECONDS * 1e3 })
  const busy = await requestRounds({ ...plan, rounds: quick ? 1 : 10, roundSeconds: BUSY_SECONDS })
  return report(waiting, busy)
}

/**
 * @param {Idle[][]} waiting
 * @param {Rounds} busy
 */
function report (waiting, busy) {
  const { table, notes, against } = idleAndBusy({ cases: CASES, waiting, busy, off: OFF, again: AGAIN })
  return {
    question: 'What do rules cost?',
    method: METHOD,
    table,
    notes,
    budgets: [atMost(`CPU a request, ${ON} to none, at most ${MAX_RATIO}`, MAX_RATIO, against(ON))]
  }
}

module.exports = { measure }
