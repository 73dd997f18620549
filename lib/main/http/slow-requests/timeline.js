'use strict'

// Where the time of a request went. Whoever claims a moment first has it: the garbage collector, requests whose code was measured, those that
// were seen at work about that time, those whose code was sampled, and then samples and a loop of which only is known that it was busy. While
// nobody claims it the request waited for something else than the loop. Pure.

const { seenWork } = require('./seen-work')
const { createShares } = require('./shares')

/** @import { Interval } from '../../loop/own-work-intervals' */
/** @import { Timeline } from './shares' */

/**
 * @typedef {Interval & { startMicros: number, route: string }} Work  of the request that began then
 * @typedef {Interval & { route: string | null, isGc: boolean }} Run   of samples; null: for no request that is known
 * @typedef {{ startMicros: number, route: string, toMicros: number }} Answer  of the request that began then
 *
 * @typedef {object} Known   each in order of time
 * @property {Work[]} work
 * @property {Run[]} runs
 * @property {Work[]} seen  at work, at moments
 * @property {Interval[]} late  the loop
 * @property {Answer[]} answers
 *
 * @typedef {Interval & { startMicros: number, route: string }} Subject  fromMicros: when it may have come; startMicros: when it was read
 */

/**
 * @param {Subject} request
 * @param {Known} known
 * @returns {Timeline}
 */
function timelineOf (request, { work, seen, runs, late, answers }) {
  const shares = createShares(request)
  const code = runs.filter(({ isGc }) => !isGc)
  const divide = createDivision(request, answers)
  const byStart = (/** @type {Interval} */ piece, /** @type {Work} */ { startMicros, route }) => {
    if (startMicros === request.startMicros) shares.addOwn(piece)
    else shares.addBehind(route, piece)
  }
  const byNobody = (/** @type {Interval} */ piece) => shares.addBehind(null, piece)

  shares.take(runs.filter(({ isGc }) => isGc), piece => shares.addGc(piece))
  shares.take(work, byStart)
  shares.take(seenWork(seen, { runs: code, late, answers }), byStart)
  shares.take(code.filter(({ route }) => route !== null), (piece, { route }) => {
    const { ofOthers, own } = route === request.route ? divide(piece) : { ofOthers: piece, own: null }
    if (own !== null) shares.addOwn(own)
    if (ofOthers !== null) shares.addBehind(route, ofOthers)
  })
  shares.take(code, byNobody)
  shares.take(late, byNobody)
  return shares.read()
}

/**
 * Samples know a route, not a request: of several requests of one route code is taken to have run for the one that was answered next.
 * @param {Subject} request
 * @param {Answer[]} answers
 * @returns {(piece: Interval) => { ofOthers: Interval | null, own: Interval | null }}
 */
function createDivision (request, answers) {
  const others = answers.filter(({ route, startMicros, toMicros }) => {
    return route === request.route && startMicros !== request.startMicros && toMicros > request.fromMicros && toMicros < request.toMicros
  })
  // What ran after the last of the others was answered ran for this one.
  const lastMicros = Math.max(-Infinity, ...others.map(({ toMicros }) => toMicros))
  return ({ fromMicros, toMicros }) => ({
    ofOthers: fromMicros < lastMicros ? { fromMicros, toMicros: Math.min(toMicros, lastMicros) } : null,
    own: toMicros > lastMicros ? { fromMicros: Math.max(fromMicros, lastMicros), toMicros } : null
  })
}

module.exports = { timelineOf }
