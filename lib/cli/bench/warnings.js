'use strict'

// What a reader has to know before the figures of a benchmark are believed. Pure.

/** @import { Bench } from './result-file' */

/** @typedef {{ file: string, bench: Bench }} Read */

/**
 * @param {Bench} bench
 * @returns {string[]}
 */
function warningsOf ({ rounds, processors, profile }) {
  const answered = rounds.reduce((sum, round) => sum + round.answered, 0)
  const non2xx = rounds.reduce((sum, round) => sum + round.non2xx, 0)
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0)
  return [
    ...(non2xx === 0 ? [] : [notSuccessful(answered, non2xx, statusCodesOf(rounds))]),
    ...(errors === 0 ? [] : [`${errors === 1 ? 'One request' : `${errors} requests`} got no answer: the connection failed, or 10 s were not enough.`]),
    ...(processors.pinning === null ? [`The application and the load shared the processors (${processors.reason}): they measured each other, too.`] : []),
    ...(processors.applicationCount === 1
      ? ['The application had one processor: work that moves to other threads frees the loop, but more requests a second come of it only with --no-pin or on a larger machine.']
      : []),
    ...(profile === null ? ['There is no profile: the recorder is off, or what it held was gone.'] : [])
  ]
}

/**
 * @param {number} answered
 * @param {number} non2xx
 * @param {string} codes
 */
function notSuccessful (answered, non2xx, codes) {
  return non2xx === answered
    ? `NO ANSWER WAS A SUCCESS (${codes}): what was measured is how fast the application refuses.`
    : `${(100 * non2xx / answered).toFixed(1)} % of the answers were no success (${codes}).`
}

/** @param {Bench['rounds']} rounds */
function statusCodesOf (rounds) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { statusCodes } of rounds) {
    for (const [code, count] of Object.entries(statusCodes)) counts.set(code, (counts.get(code) ?? 0) + count)
  }
  return [...counts].map(([code, count]) => `${code}: ${count}`).join(', ')
}

/** What both have to have in common, and in which words it is told. @type {[string, (bench: Bench) => unknown][]} */
const CONDITIONS = [
  ['the path', ({ request: { url } }) => new URL(url).pathname + new URL(url).search],
  ['the method', ({ request }) => request.method],
  ['connections', ({ load }) => load.connections],
  ['seconds of a round', ({ load }) => load.seconds],
  ['seconds of warm-up', ({ load }) => load.warmUpSeconds],
  ['the load', ({ load }) => load.tool],
  ['Node.js', ({ application }) => application.nodeVersion],
  ['the machine', ({ machine }) => `${machine.cpus} × ${machine.model}`],
  ['processors of the application', ({ processors }) => processors.pinning?.application ?? 'any']
]

/**
 * @param {Read} before
 * @param {Read} after
 * @returns {string[]}
 */
function warningsOfPair (before, after) {
  const differences = CONDITIONS.map(([name, read]) => ({ name, values: [read(before.bench), read(after.bench)] }))
    .filter(({ values: [earlier, later] }) => earlier !== later)
    .map(({ name, values: [earlier, later] }) => `Not only the code changed: ${name} was ${earlier}, and is ${later}.`)
  const [ofBefore, ofAfter] = [before, after].map(({ bench }) => warningsOf(bench))
  const both = ofBefore.filter(warning => ofAfter.includes(warning))
  return [
    ...differences,
    ...both,
    ...ofBefore.filter(warning => !both.includes(warning)).map(warning => `Before: ${warning}`),
    ...ofAfter.filter(warning => !both.includes(warning)).map(warning => `After: ${warning}`)
  ]
}

module.exports = { warningsOf, warningsOfPair }
