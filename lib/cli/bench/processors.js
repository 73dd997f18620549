'use strict'

// Pins the application and the load generator to separate CPUs: where both run on any CPU, each wake-up of another thread moves one of
// them, and the measurement shows the scheduler.

const { spawnSync } = require('node:child_process')
const { read } = require('../connect/process-facts')

/**
 * @typedef {{ application: string, load: string }} Pinning  lists of CPUs, as taskset takes them
 * @typedef {{ pinning: Pinning | null, reason: string | null, applicationCount: number | null }} Processors  reason: why they are not pinned
 */

/**
 * The load generator has one thread, so it gets one CPU, and the application all others.
 * @param {boolean} isWanted
 * @returns {Processors}
 */
function chooseProcessors (isWanted) {
  if (!isWanted) return unpinned('--no-pin')
  const allowed = expand(/^Cpus_allowed_list:\s*(\S+)/m.exec(read('/proc/self/status'))?.[1] ?? '')
  if (allowed.length < 2) return unpinned('fewer than two CPUs')
  const application = allowed.slice(0, -1).join(',')
  const load = String(allowed.at(-1))
  const isPossible = [application, load].every(list => spawnSync('taskset', ['-c', list, 'true']).status === 0)
  return isPossible ? { pinning: { application, load }, reason: null, applicationCount: allowed.length - 1 } : unpinned('taskset is missing or not permitted')
}

/** @param {string} reason */
function unpinned (reason) {
  return { pinning: null, reason, applicationCount: null }
}

/** @param {string} list  as in `0-2,5` */
function expand (list) {
  return list.split(',').filter(Boolean).flatMap(range => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}

/** @param {string | undefined} list @param {string[]} command */
function pinned (list, command) {
  return list === undefined ? command : ['taskset', '-c', list, ...command]
}

module.exports = { chooseProcessors, expand, pinned }
