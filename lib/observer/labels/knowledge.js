'use strict'

// What is known of functions and routes: which functions answer which route, and for which routes functions were seen at work.
// Pure, and bounded.

const { placeOfFrame, placesOfStack } = require('./places')
const { createVotes } = require('./votes')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { Look } from '../../main/labels/looks' */
/** @import { Claim } from './votes' */

/** @typedef {{ route: string, scriptId: string, lineNumber: number, columnNumber: number }} Handler */

const MAX_ROUTES = 1000
const MAX_HANDLERS = 5000

/** What is at work for no request. */
const NONE = -1
/** Routes beyond the bound: they are not told, but they are not each other's either. */
const OTHER = -2

function createKnowledge () {
  return new Knowledge()
}

class Knowledge {
  /** @type {Map<string, number>} */
  #numbers = new Map()
  #votes = createVotes()
  /** @type {Map<string, Set<number>>} */
  #handlers = new Map()
  names = /** @type {string[]} */ ([])

  /** @param {string | null} route */
  numberOf (route) {
    if (route === null) return NONE
    const known = this.#numbers.get(route)
    if (known !== undefined) return known
    if (this.names.length === MAX_ROUTES) return OTHER
    this.#numbers.set(route, this.names.length)
    return this.names.push(route) - 1
  }

  /** @param {Handler} handler  V8 says where it begins */
  addHandler ({ route, ...place }) {
    const key = keyOf(place)
    const routes = this.#handlers.get(key) ?? new Set()
    if (this.#handlers.size < MAX_HANDLERS || routes.size > 0) this.#handlers.set(key, routes.add(this.numberOf(route)))
  }

  /**
   * @param {Pick<Look, 'route' | 'calls'>} look
   * @returns {boolean} whether it was known of the functions on its stack that they are of this route, or that they are of several
   */
  addLook ({ route, calls }) {
    const number = this.numberOf(route)
    const places = placesOfStack(calls)
    const claims = places.map(place => this.#votes.claimAt(place, ''))
    const isKnown = claims.some(claim => claim !== null && claim !== 'several' && claim.isEnough && claim.route === number) || claims.every(claim => claim === 'several')
    this.#votes.noteLook(number)
    for (const place of places) this.#votes.add(place, number, 'looks')
    return isKnown
  }

  /**
   * @param {CallFrame} frame  that was seen in samples
   * @param {number} route
   * @param {number} count     in how many
   */
  addSamples (frame, route, count) {
    const place = placeOfFrame(frame)
    if (place !== null) this.#votes.add(place, route, 'samples', count)
  }

  /**
   * @param {CallFrame} frame
   * @returns {Claim | null} null: it says nothing, or works for several routes
   */
  claimOf (frame) {
    const place = placeOfFrame(frame)
    if (place === null) return null
    const seen = this.#votes.claimAt(place, frame.functionName)
    const answered = this.#handlers.get(keyOf(frame))
    if (answered === undefined || seen === 'several') return seen === 'several' ? null : seen
    const [route, ...others] = answered
    // Nobody calls a handler without a request: where it was seen so, the request was lost.
    const isOnly = others.length === 0 && (seen === null || seen.route === route || seen.route === NONE)
    return isOnly ? { route, votes: Infinity, isEnough: true } : null
  }
}

/** @param {Pick<CallFrame, 'scriptId' | 'lineNumber' | 'columnNumber'>} place */
function keyOf ({ scriptId, lineNumber, columnNumber }) {
  return `${scriptId}:${lineNumber}:${columnNumber}`
}

module.exports = { createKnowledge, NONE }
