'use strict'

// Times loops of calls that are too short to be timed one by one.

const FIRST_CALLS = 100

/** @typedef {(calls: number) => void} Loop */

/**
 * @param {Loop} loop
 * @param {number} calls
 * @returns {number} nanoseconds, of all calls
 */
function timeNs (loop, calls) {
  const startNs = process.hrtime.bigint()
  loop(calls)
  return Number(process.hrtime.bigint() - startNs)
}

/**
 * Also what has the loop compiled.
 * @param {Loop} loop
 * @param {number} sliceMs
 * @returns {number} how many calls take so long
 */
function callsLasting (loop, sliceMs) {
  let calls = FIRST_CALLS
  while (timeNs(loop, calls) < sliceMs * 1e6) calls *= 2
  return Math.round(calls * sliceMs * 1e6 / timeNs(loop, calls))
}

module.exports = { timeNs, callsLasting }
