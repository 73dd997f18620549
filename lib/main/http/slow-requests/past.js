'use strict'

// What ran when, as far as it may still be asked for. Bounded; requests are let go of after a second, and only their routes stay.

const { routeOf } = require('../route-template')

/** @import { RequestContext } from '../contexts/one-request' */
/** @import { Interval } from '../../loop/own-work-intervals' */
/** @import { Answer, Known, Run } from './timeline' */

// Of each kind. What runs for a millisecond or more is told: two seconds of nothing but that, a minute of a busy process.
const MAX_KEPT = 2000
// Routers await as well: the route is asked for when middleware is done.
const RIPE_MICROS = 1e6

/** @typedef {Interval & { startMicros: number, context: RequestContext | null, route: string }} Entry  its route is valid when there is no context */

/** @param {{ onFull: () => void }} parts  what is oldest is about to be forgotten */
function createPast (parts) {
  return new Past(parts.onFull)
}

class Past {
  #onFull
  /** @type {Entry[]} */
  #work = []
  /** @type {Entry[]} */
  #seen = []
  /** @type {Interval[]} */
  #late = []
  /** @type {Answer[]} */
  #answers = []
  /** @type {Run[]} */
  #runs = []

  /** @param {() => void} onFull */
  constructor (onFull) {
    this.#onFull = onFull
  }

  /**
   * @param {RequestContext} context  whose synchronous code ran
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  addWork (context, fromMicros, toMicros) {
    this.#add(this.#work, { fromMicros, toMicros, startMicros: context.startMicros, context, route: '' })
    nameRipe(this.#work, toMicros)
  }

  /**
   * @param {RequestContext} context  whose code ran at a moment
   * @param {number} micros
   */
  addSeen (context, micros) {
    this.#add(this.#seen, { fromMicros: micros, toMicros: micros, startMicros: context.startMicros, context, route: '' })
    nameRipe(this.#seen, micros)
  }

  /** @param {Interval} interval  in which the loop was late */
  addLate (interval) {
    this.#add(this.#late, interval)
  }

  /** @param {Answer} answer */
  addAnswer (answer) {
    this.#add(this.#answers, answer)
  }

  /** @param {Run[]} runs  from samples, in order, of all the time that is still to be explained */
  setRuns (runs) {
    this.#runs = runs
  }

  /** @returns {Known} */
  read () {
    return {
      work: this.#work.map(toPlain).sort((left, right) => left.fromMicros - right.fromMicros),
      seen: this.#seen.map(toPlain),
      late: this.#late,
      answers: this.#answers,
      runs: this.#runs
    }
  }

  /**
   * @template T
   * @param {T[]} kept
   * @param {T} added
   */
  #add (kept, added) {
    if (kept.length === MAX_KEPT) {
      this.#onFull()
      kept.splice(0, MAX_KEPT / 2)
    }
    kept.push(added)
  }
}

/**
 * @param {Entry[]} entries  in order of their ends
 * @param {number} micros  now
 */
function nameRipe (entries, micros) {
  for (let index = entries.findLastIndex(({ toMicros }) => toMicros <= micros - RIPE_MICROS); index >= 0; index--) {
    const entry = entries[index]
    if (entry.context === null) return
    entry.route = routeOf(entry.context.request)
    entry.context = null
  }
}

/** @param {Entry} entry */
function toPlain ({ fromMicros, toMicros, startMicros, context, route }) {
  return { fromMicros, toMicros, startMicros, route: context === null ? route : routeOf(context.request) }
}

module.exports = { createPast }
