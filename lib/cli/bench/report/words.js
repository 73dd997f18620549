'use strict'

// How benchmarks and their comparison are put into words, on a terminal and on the page. Pure.

const { localTime } = require('../../../shared/base/local-time')

/** @import { FindingChange } from '../compare' */
/** @import { Bench } from '../result-file' */

/** @param {Bench} bench */
function describe (bench) {
  const { at, command, load, rounds, application } = bench
  return `${localTime(at)}  ${command.join(' ')}, ${targetOf(bench)}: ${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'} of ${load.seconds} s, ` +
    `${load.connections} connections, Node.js ${application.nodeVersion}`
}

/** @param {{ name: string, unit: string }} figure */
function nameOf ({ name, unit }) {
  return unit === '' ? name : `${name}, ${unit}`
}

/**
 * @param {Bench} bench
 * @returns {string} without the port, which may be another one each time
 */
function targetOf ({ request: { url, method } }) {
  const { pathname, search } = new URL(url)
  return `${method} ${pathname}${search}`
}

/** @param {number} chance */
function explain (chance) {
  const rule = 'A difference is said where the ranges of the rounds lie apart'
  if (chance === 1) return `${rule}: one round a side has no range.`
  return `${rule}, as those of two equal programs do in one of ${chance} comparisons.`
}

/** @param {FindingChange} change */
function roundsOf ({ roundsBefore, roundsAfter }) {
  return `(rounds that had it: ${roundsBefore} before, ${roundsAfter} after)`
}

module.exports = { describe, explain, nameOf, roundsOf, targetOf }
