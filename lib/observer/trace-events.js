'use strict'

// Keeps what happened beside the samples, for traces: slow requests and garbage collections, from the application's notes; stalls and marks are kept
// elsewhere and added when a trace is written.

const { fromEpochMs } = require('../base/monotonic')

/** @import { Mark, Stall } from '../../types/diagnostics' */
/** @import { CpuProfile, TraceEvents } from '../../types/profile' */
/** @import { Collection } from '../probe/heap/collections' */
/** @import { Answer, Notes } from '../probe/request-notes' */

// Of each kind: more than the recorder's minute holds, but for a process that collects garbage more than 80 times a second.
const MAX_KEPT = 5000

class TraceEventLog {
  /** @type {Answer[]} */
  #answers = []
  /** @type {Collection[]} */
  #collections = []
  #stalls
  #marks

  /** @param {{ stalls: () => Stall[], marks: () => Mark[] }} parts */
  constructor ({ stalls, marks }) {
    this.#stalls = stalls
    this.#marks = marks
  }

  /** @param {Pick<Notes, 'answers' | 'collections'>} notes */
  addNotes ({ answers, collections }) {
    this.#answers = [...this.#answers, ...answers].slice(-MAX_KEPT)
    this.#collections = [...this.#collections, ...collections].slice(-MAX_KEPT)
  }

  /**
   * What touches the time of a profile.
   * @param {Pick<CpuProfile, 'startTime' | 'endTime'>} profile
   * @returns {TraceEvents}
   */
  of ({ startTime, endTime }) {
    /** @type {(span: { fromMicros: number, toMicros: number }) => boolean} */
    const touches = ({ fromMicros, toMicros }) => toMicros > startTime && fromMicros < endTime
    return {
      stalls: this.#stalls().map(toSpan).filter(touches),
      requests: this.#answers.filter(touches).map(({ route, status, traceId, fromMicros, toMicros }) => ({
        name: route,
        fromMicros,
        toMicros,
        properties: [...(status === null ? [] : [pair('status', String(status))]), ...(traceId === null ? [] : [pair('trace', traceId)])]
      })),
      collections: this.#collections.filter(touches).map(({ type, ...times }) => ({ name: type, ...times, properties: [] })),
      marks: this.#marks().map(({ at, text }) => ({ name: text, atMicros: fromEpochMs(at) }))
    }
  }
}

/** @param {Stall} stall @returns {TraceEvents['stalls'][number]} */
function toSpan ({ at, durationMs, cause, route, culprit }) {
  const fromMicros = fromEpochMs(at)
  const call = culprit?.call ?? culprit?.function
  return {
    name: call === undefined ? cause : `${cause}: ${call || '(anonymous)'}`,
    fromMicros,
    toMicros: fromMicros + durationMs * 1e3,
    properties: [
      pair('cause', cause),
      ...(route === null ? [] : [pair('route', route)]),
      ...(culprit === null ? [] : [pair('function', culprit.function), pair('line', `${culprit.file}:${culprit.line}`)])
    ]
  }
}

/** @param {string} name @param {string} value @returns {[name: string, value: string]} */
function pair (name, value) {
  return [name, value]
}

module.exports = { TraceEventLog }
