'use strict'

// The time of one request, given away piece by piece: whoever takes first has it. Pure.

/** @import { Interval } from '../../loop/own-work-intervals' */

/**
 * @typedef {{ ownMs: number, behindMs: number, behind: { route: string | null, ms: number }[], gcMs: number, waitingMs: number }} Timeline
 */

const MAX_ROUTES = 10
const OTHER = '_other'

/** @param {Interval} time */
function createShares (time) {
  return new Shares(time)
}

class Shares {
  #time
  /** In order. @type {Interval[]} */
  #free
  #ownMicros = 0
  #gcMicros = 0
  /** @type {Map<string | null, number>} */
  #behind = new Map()

  /** @param {Interval} time */
  constructor ({ fromMicros, toMicros }) {
    this.#time = { fromMicros, toMicros }
    this.#free = [this.#time]
  }

  /**
   * @template {Interval} T
   * @param {readonly T[]} claims  in order
   * @param {(piece: Interval, claim: T) => void} onTaken  of what was free until now
   */
  take (claims, onTaken) {
    const { fromMicros, toMicros } = this.#time
    this.#free = take(this.#free, claims.filter(claim => claim.toMicros > fromMicros && claim.fromMicros < toMicros), onTaken)
  }

  /** @param {Interval} piece */
  addOwn (piece) {
    this.#ownMicros += lengthOf(piece)
  }

  /** @param {Interval} piece */
  addGc (piece) {
    this.#gcMicros += lengthOf(piece)
  }

  /**
   * @param {string | null} route
   * @param {Interval} piece
   */
  addBehind (route, piece) {
    this.#behind.set(route, (this.#behind.get(route) ?? 0) + lengthOf(piece))
  }

  /** @returns {Timeline} what is free was waiting */
  read () {
    const longest = [...this.#behind].map(([route, micros]) => ({ route, micros })).sort((left, right) => right.micros - left.micros)
    const others = { route: OTHER, micros: sum(longest.slice(MAX_ROUTES)) }
    return {
      ownMs: toMs(this.#ownMicros),
      behindMs: toMs(sum(longest)),
      behind: [...longest.slice(0, MAX_ROUTES), others].map(({ route, micros }) => ({ route, ms: toMs(micros) })).filter(({ ms }) => ms > 0),
      gcMs: toMs(this.#gcMicros),
      waitingMs: toMs(this.#free.reduce((all, piece) => all + lengthOf(piece), 0))
    }
  }
}

/**
 * @template {Interval} T
 * @param {Interval[]} free   in order
 * @param {readonly T[]} claims  in order
 * @param {(piece: Interval, claim: T) => void} onTaken
 * @returns {Interval[]} what is left
 */
function take (free, claims, onTaken) {
  /** @type {Interval[]} */
  const left = []
  let first = 0
  for (const { fromMicros, toMicros } of free) {
    let at = fromMicros
    while (first < claims.length && claims[first].toMicros <= at) first++
    for (let index = first; index < claims.length && claims[index].fromMicros < toMicros; index++) {
      const claim = claims[index]
      const piece = { fromMicros: Math.max(at, claim.fromMicros), toMicros: Math.min(toMicros, claim.toMicros) }
      if (piece.toMicros <= piece.fromMicros) continue
      if (piece.fromMicros > at) left.push({ fromMicros: at, toMicros: piece.fromMicros })
      onTaken(piece, claim)
      at = piece.toMicros
    }
    if (at < toMicros) left.push({ fromMicros: at, toMicros })
  }
  return left
}

/** @param {Interval} interval */
function lengthOf ({ fromMicros, toMicros }) {
  return toMicros - fromMicros
}

/** @param {{ micros: number }[]} parts */
function sum (parts) {
  return parts.reduce((all, { micros }) => all + micros, 0)
}

/** @param {number} micros */
function toMs (micros) {
  return Math.round(micros / 100) / 10
}

module.exports = { createShares, toMs }
