'use strict'

// Processes that wait side by side on one processor: CPU time and wake-ups of each over the same time, round by round. They are started
// anew several times, because two processes of the same code differ.

const { setTimeout: sleep } = require('node:timers/promises')
const { chooseProcessors } = require('../../lib/cli/bench/processors')
const { withChildren } = require('./child')

/** @import { Child } from './child' */
/** @import { ThreadShare } from './cpu-meter' */

const SETTLED_SECONDS = 100 // before, V8 still compiles what comes back ten times a second: bench/idle-cpu.js shows it

/**
 * @typedef {{ percent: number, wakeUps: number | null, threads: ThreadShare[] | null, utilization: number }} Idle  of one core; a second; null where the
 *   system does not tell; utilization: of the loop, as Node itself reads it
 *
 * @typedef {object} IdlePlan
 * @property {string} file               in bench/processes
 * @property {readonly string[]} cases   its first argument
 * @property {string[]} [args]           its others
 * @property {number} generations
 * @property {number} rounds             of each
 * @property {number} roundMs
 * @property {number} settleMs           start-up, its garbage and its compilation are not idling
 * @property {(text: string) => void} progress
 */

/**
 * @param {IdlePlan} plan
 * @returns {Promise<Idle[][]>} by case and round
 */
async function idleRounds ({ file, cases, args = [], generations, rounds, roundMs, settleMs, progress }) {
  const { pinning } = chooseProcessors(true)
  /** @type {Idle[][]} */
  const measured = cases.map(() => [])
  for (let generation = 0; generation < generations; generation++) {
    await withChildren(file, cases.map(name => [name, ...args]), async children => {
      await sleep(settleMs)
      for (let round = 0; round < rounds; round++) {
        for (const [index, idle] of (await oneRound(children, roundMs)).entries()) measured[index].push(idle)
        progress(`round ${generation * rounds + round + 1} of ${generations * rounds}: ${cases.map((name, at) => `${name} ${measured[at].at(-1)?.percent.toFixed(2)} %`).join(', ')}`)
      }
    }, { processors: pinning?.application })
  }
  return measured
}

/**
 * @param {readonly Child[]} children
 * @param {number} roundMs
 * @returns {Promise<Idle[]>}
 */
async function oneRound (children, roundMs) {
  for (const child of children) await child.ask('begin')
  await sleep(roundMs)
  const idle = []
  for (const child of children) {
    idle.push({
      percent: await child.ask('cpuPercent'),
      wakeUps: await child.ask('wakeUpsPerSecond'),
      threads: await child.ask('threads'),
      utilization: await child.ask('utilization')
    })
  }
  return idle
}

module.exports = { idleRounds, SETTLED_SECONDS }
