'use strict'

// The part of the text report that tells which process, or thread, took the time, in a profile of several: a row for each, with the function to look at.

const { describeHottest } = require('./hottest-function')
const { percent, row } = require('./rows')
const { kindOf, kindsOf, sumMicros, timesByProcess } = require('../profile/process-times')

/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { CallTree } from '../profile/call-tree' */

const MAX_PROCESSES = 32

/**
 * @param {CallTree} root
 * @param {number} busyMicros
 * @param {CpuProfile['processes']} processes
 * @returns {string[]} none where the profile is of one process
 */
function processLines (root, busyMicros, processes) {
  const times = timesByProcess(root)
  if (times.length === 0) return []
  const shown = times.slice(0, MAX_PROCESSES)
  const rest = times.slice(MAX_PROCESSES)
  const width = Math.max(kindOf(processes).length, ...shown.map(({ process }) => process.length))
  const lines = shown.map(one => row(one.busyMicros, busyMicros,
    `${percent(one.busyMicros, one.micros).padStart(7)}  ${one.process.padEnd(width)}  ${hottestOf(root, one.process)}`.trimEnd()))
  if (rest.length > 0) {
    lines.push(row(rest.reduce((sum, one) => sum + one.busyMicros, 0), busyMicros, `everything else (${rest.length} ${kindsOf(processes)})`))
  }
  return [
    ` [${kindsOf(processes) === 'threads' ? 'Threads' : 'Processes'}]: whose time it was; "at work" is the part of its own time that a ${kindOf(processes)} was not idle`,
    '',
    `         ms   busy  at work  ${kindOf(processes).padEnd(width)}  the function in which most of it was spent`,
    ...lines
  ]
}

/**
 * @param {CallTree} root
 * @param {string} process
 */
function hottestOf (root, process) {
  return describeHottest(root, ({ processes }) => {
    const routes = processes.get(process)
    return routes === undefined ? 0 : sumMicros(routes)
  })
}

module.exports = { processLines }
