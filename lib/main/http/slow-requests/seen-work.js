'use strict'

// For how long requests were at work that were seen at it at one moment: while the samples around it are of one kind, or else while the loop
// was late; since whoever was answered before, and until they were answered themselves. Pure.

/** @import { Interval } from '../../loop/own-work-intervals' */
/** @import { Answer, Known, Work } from './timeline' */

/**
 * @param {Work[]} seen  at moments, in order
 * @param {Pick<Known, 'runs' | 'late' | 'answers'>} known
 * @returns {Work[]} in order, not overlapping
 */
function seenWork (seen, { runs, late, answers }) {
  /** @type {Work[]} */
  const found = []
  let lastMicros = -Infinity
  for (const moment of seen) {
    const around = aroundMoment(runs, moment) ?? aroundMoment(late, moment)
    if (around === undefined) continue
    const work = { ...moment, ...within(around, moment, answers) }
    const before = found.at(-1)
    // Where one of them went on to the other nobody saw.
    if (before !== undefined && before.toMicros > moment.fromMicros) before.toMicros = (lastMicros + moment.fromMicros) / 2
    work.fromMicros = Math.max(work.fromMicros, before?.toMicros ?? -Infinity)
    found.push(work)
    lastMicros = moment.fromMicros
  }
  return found
}

/**
 * @param {Interval[]} intervals
 * @param {Work} moment
 */
function aroundMoment (intervals, { fromMicros: micros }) {
  return intervals.find(({ fromMicros, toMicros }) => fromMicros <= micros && micros <= toMicros)
}

/**
 * @param {Interval} around
 * @param {Work} moment
 * @param {Answer[]} answers
 * @returns {Interval}
 */
function within (around, { fromMicros: micros, startMicros }, answers) {
  const before = answers.filter(({ toMicros }) => toMicros <= micros).map(({ toMicros }) => toMicros)
  const own = answers.filter(answer => answer.startMicros === startMicros && answer.toMicros >= micros).map(({ toMicros }) => toMicros)
  return { fromMicros: Math.max(around.fromMicros, startMicros, ...before), toMicros: Math.min(around.toMicros, ...own) }
}

module.exports = { seenWork }
