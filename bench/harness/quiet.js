'use strict'

// What else ran while a round was measured: the share of the server's processors that others had, and what the machine's host took away.
// CPU time of a process does not show either, but both change it: caches are cold after every switch, and stolen time counts as its own.

const fs = require('node:fs')

const TICKS_PER_SECOND = 100 // of /proc/stat: USER_HZ, which the kernel keeps for programs
const MAX_FOREIGN = 0.05
const MAX_STOLEN = 0.02
const FIELDS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal']

/** @typedef {{ foreign: number, stolen: number }} Disturbance  shares of the time that the processors had */

/**
 * @param {readonly number[]} processors
 * @returns {{ end (ownMicros: number): Disturbance | null }} null where the system does not tell
 */
function watchProcessors (processors) {
  const before = readProcessors(processors)
  return {
    /** @param {number} ownMicros  CPU time of what was measured there */
    end (ownMicros) {
      const after = readProcessors(processors)
      if (before === null || after === null) return null
      const ticks = after.total - before.total
      const own = ownMicros / 1e6 * TICKS_PER_SECOND
      return { foreign: Math.max(0, after.busy - before.busy - own) / ticks, stolen: (after.steal - before.steal) / ticks }
    }
  }
}

/** @param {readonly number[]} processors */
function readProcessors (processors) {
  let text
  try {
    text = fs.readFileSync('/proc/stat', 'utf8')
  } catch {
    return null // not Linux
  }
  const sum = { total: 0, busy: 0, steal: 0 }
  for (const [, number, figures] of text.matchAll(/^cpu(\d+) (.*)$/gm)) {
    if (!processors.includes(Number(number))) continue
    const ticks = Object.fromEntries(figures.split(' ').slice(0, FIELDS.length).map((figure, at) => [FIELDS[at], Number(figure)]))
    const total = FIELDS.reduce((all, field) => all + ticks[field], 0)
    sum.total += total
    sum.steal += ticks.steal
    // The network's interrupts are the load's, which the server is there to answer.
    sum.busy += total - ticks.idle - ticks.iowait - ticks.steal - ticks.irq - ticks.softirq
  }
  return sum
}

/** @param {Disturbance | null} disturbance */
function isDisturbed (disturbance) {
  return disturbance !== null && (disturbance.foreign > MAX_FOREIGN || disturbance.stolen > MAX_STOLEN)
}

module.exports = { watchProcessors, isDisturbed, MAX_FOREIGN, MAX_STOLEN }
