'use strict'

// Puts where the time of a request went in order: its own code, the code of others, collections, and between them each wait, with the line of the code and
// the call where they are known. Pure.

const { byTime, intervalsOf, lengthOf, overlapping, take, toMs } = require('./timeline')

/** @import { SlowRequestStep } from '../../../types/slow-requests' */
/** @import { WaitedAt } from '../../../types/waits' */
/** @import { Interval } from '../../probe/loop/own-work' */
/** @import { CallName } from '../../probe/waits/call-names' */
/** @import { LineSpans } from '../waits/wait-profile' */
/** @import { Piece } from './timeline' */

// What is shorter is left out: the steps are read by people.
const MIN_MICROS = 500
const MAX_STEPS = 40

/** @typedef {Interval & Pick<SlowRequestStep, 'kind' | 'route' | 'call'> & { line: WaitedAt | null }} Step */

/**
 * @param {readonly Piece[]} pieces  of one request, in order
 * @param {object} known
 * @param {number} known.fromMicros  when it arrived
 * @param {number[][]} known.waits  its calls, as probe/waits/request-waits.js reads them
 * @param {(name: number) => CallName | undefined} known.nameOf
 * @param {LineSpans[] | null} known.lines  where it waited; null: it was not sampled
 * @returns {SlowRequestStep[]} in order; of more than 40 the longest
 */
function stepsOf (pieces, { fromMicros, waits, nameOf, lines }) {
  const calls = waits.flatMap(([name, , , , ...moments]) => {
    const found = nameOf(name)
    return found === undefined ? [] : intervalsOf(moments).map(span => ({ ...span, call: { kind: found.kind, operation: found.operation, target: found.target } }))
  }).sort(byTime)
  const spans = (lines ?? []).flatMap(({ line, spans }) => intervalsOf(spans).map(span => ({ ...span, line }))).sort(byTime)
  const steps = pieces.flatMap(piece => piece.kind === 'waiting' ? waitsOf(piece, spans, calls) : [{ ...piece, call: null, line: null }])
  const notable = steps.filter(step => lengthOf(step) >= MIN_MICROS)
  const longest = new Set(notable.toSorted((left, right) => lengthOf(right) - lengthOf(left)).slice(0, MAX_STEPS))
  return notable.filter(step => longest.has(step)).map(({ fromMicros: micros, toMicros, kind, route, call, line }) => {
    return { kind, atMs: toMs(micros - fromMicros), ms: toMs(toMicros - micros), route, call, line: line === null ? null : placeOf(line) }
  })
}

/**
 * Divides a wait by the lines of the code, and what has no line by the calls.
 * @param {Piece} piece
 * @param {(Interval & { line: WaitedAt })[]} spans
 * @param {(Interval & { call: NonNullable<SlowRequestStep['call']> })[]} calls
 * @returns {Step[]} in order
 */
function waitsOf (piece, spans, calls) {
  /** @type {Step[]} */
  const steps = []
  const add = (/** @type {Interval} */ { fromMicros, toMicros }, /** @type {Pick<Step, 'call' | 'line'>} */ { call, line }) => steps.push({ fromMicros, toMicros, kind: 'waiting', route: null, call, line })
  const unlined = take([piece], overlapping(spans, piece), (part, { line }) => add(part, { line, call: longestCall(part, calls) }))
  const rest = take(unlined, overlapping(calls, piece), (part, { call }) => add(part, { line: null, call }))
  for (const part of rest) add(part, { line: null, call: null })
  return joined(steps.sort(byTime))
}

/**
 * @param {Step[]} steps  in order
 * @returns {Step[]} one for what is one wait, with other moments in between
 */
function joined (steps) {
  /** @type {Step[]} */
  const found = []
  for (const step of steps.filter(step => lengthOf(step) >= MIN_MICROS)) {
    const last = found.at(-1)
    if (last !== undefined && last.line === step.line && last.call === step.call) last.toMicros = step.toMicros
    else found.push(step)
  }
  return found
}

/** @param {Interval} part @param {(Interval & { call: NonNullable<SlowRequestStep['call']> })[]} calls */
function longestCall (part, calls) {
  /** @type {{ call: SlowRequestStep['call'], micros: number }} */
  let longest = { call: null, micros: 0 }
  for (const { call, fromMicros, toMicros } of overlapping(calls, part)) {
    const micros = Math.min(toMicros, part.toMicros) - Math.max(fromMicros, part.fromMicros)
    if (micros > longest.micros) longest = { call, micros }
  }
  return longest.call
}

/** @param {WaitedAt} line */
function placeOf ({ function: name, file, line, column, awaited, via }) {
  return { function: name, file, line, column, awaited, via }
}

module.exports = { stepsOf }
