'use strict'

// Learns which functions belong to which route: which functions handle a route, and for which routes functions were seen running. Pure, and
// bounded: of the functions seen running, the oldest are dropped first, and learned again.

const { sum, sumBy } = require('../../base/sums')
const { MAX_KEYWORDS, keyOfFrame, keysOfStack } = require('./function-keys')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { StackProbe } from '../../probe/request-notes' */
/** @import { FunctionKey } from './function-keys' */

/**
 * A function that answers a route, as V8 has it: where its parameters begin, and where it ends.
 * @typedef {{ route: string, scriptId: string, lineNumber: number, columnNumber: number, endLine: number, endColumn: number }} Handler
 */

const MAX_ROUTES = 1000
const MAX_HANDLERS = 5000
const MAX_FILES = 5000

/** Code that ran for no request. */
const NONE = -1
/** All routes beyond the bound: they are not named, but they do not count as one route either. */
const OTHER = -2

const MAX_LINES = 20_000

// Votes that a function needs before it labels anything: the votes of a function that several routes share may all be for one route by chance.
// With this many, and none for another route, in nine of ten cases less than a fifth of its time belongs to another: 0.8 ** 11 < 0.1. With 22
// (for a tenth), a quarter of the time of a Fastify service had no label after 25 s.
const MIN_VOTES = 11
// It also assumes that all routes share the function, as often as they occur: at most this share of its samples may get a wrong label.
const WRONG_SHARE = 0.01
// With this many votes it contradicts other functions.
const MIN_VOTES_TO_CONTRADICT = 5
// Samples are many, but only of code that runs before a request's first await: some votes must come from stack probes, which see all code.
const MAX_BY_SAMPLES = 2
// A context that is lost or kept too long sometimes gives a wrong vote.
const OUTLIER_SHARE = 0.01

/** @typedef {Omit<Handler, 'route'> & { routes: Set<number> }} PlacedHandler */
/** @typedef {'probes' | 'samples'} Source */
/** @typedef {Record<Source, Map<number, number>>} Tally  votes by route */
/** @typedef {{ route: number, votes: number, isEnough: boolean }} Claim  all votes are for one route; isEnough: enough of them for a label */

class FunctionRoutes {
  /** @type {Map<string, number>} */
  #numbers = new Map()
  #votes = new Votes()
  /** @type {Map<string, PlacedHandler>} */
  #handlers = new Map()
  /** @type {Map<string | number, PlacedHandler[]>} */
  #ofScript = new Map()
  /** By the id of a script, as frames have shown it: handlers are known by their script. @type {Map<string | number, string>} */
  #files = new Map()
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

  /** @param {Handler} handler */
  addHandler ({ route, ...place }) {
    const key = scriptKeyOf(place)
    let handler = this.#handlers.get(key)
    if (handler === undefined) {
      if (this.#handlers.size === MAX_HANDLERS) return
      handler = { ...place, routes: new Set() }
      this.#handlers.set(key, handler)
      const ofScript = this.#ofScript.get(place.scriptId) ?? []
      ofScript.push(handler)
      this.#ofScript.set(place.scriptId, ofScript)
    }
    handler.routes.add(this.numberOf(route))
  }

  /**
   * @param {Pick<StackProbe, 'route' | 'calls'>} probe
   * @returns {boolean} whether its stack adds nothing new: a function is already assigned to this route, or all are shared by several
   */
  addProbe ({ route, calls }) {
    const number = this.numberOf(route)
    const keys = keysOfStack(calls)
    const claims = keys.map(key => this.#votes.claimAt(key, ''))
    const isKnown = claims.some(claim => claim !== null && claim !== 'several' && claim.isEnough && claim.route === number) || claims.every(claim => claim === 'several')
    this.#votes.countProbe(number)
    for (const key of keys) this.#votes.add(key, number, 'probes')
    return isKnown
  }

  /**
   * @param {CallFrame} frame  a frame in samples
   * @param {number} route
   * @param {number} count     the number of these samples
   */
  addSamples (frame, route, count) {
    const key = keyOfFrame(frame)
    if (key !== null) this.#votes.add(key, route, 'samples', count)
  }

  /** @param {CallFrame} frame @returns {Claim | null} null: no route, or several */
  claimOf (frame) {
    const key = keyOfFrame(frame)
    if (key === null) return null
    const seen = this.#votes.claimAt(key, frame.functionName)
    const handler = this.#handlers.get(scriptKeyOf(frame)) ?? this.#handlerAround(frame)
    if (this.#files.size < MAX_FILES) this.#files.set(frame.scriptId, frame.url)
    if (handler === undefined || seen === 'several') return seen === 'several' ? null : seen
    const [route, ...others] = handler.routes
    // Nothing calls a handler without a request: where it was seen without one, the request was lost.
    const isOnly = others.length === 0 && (seen === null || seen.route === route || seen.route === NONE)
    return isOnly ? { route, votes: Infinity, isEnough: true } : null
  }

  /**
   * A function that is written in a handler is made by a request of its route, whatever calls it: a callback that a client of a database calls for an
   * answer on a connection of all requests.
   * @param {CallFrame} frame
   * @returns {PlacedHandler | undefined} the innermost one
   */
  #handlerAround (frame) {
    const ofScript = this.#ofScript.get(frame.scriptId) ?? []
    const around = ofScript.filter(handler => isBefore(handler, frame) && isBefore(frame, { lineNumber: handler.endLine, columnNumber: handler.endColumn }))
    return around.reduce((inner, other) => isBefore(inner, other) ? other : inner, around[0])
  }

  /** @param {string} route @returns {CallFrame[]} its handlers, outermost first, of files of which some code was seen running */
  handlersOf (route) {
    const number = this.#numbers.get(route)
    if (number === undefined) return []
    return [...this.#handlers.values()].filter(({ routes }) => routes.has(number)).flatMap(({ scriptId, lineNumber, columnNumber }) => {
      const url = this.#files.get(scriptId)
      return url === undefined ? [] : [{ functionName: '', scriptId, url, lineNumber, columnNumber }]
    })
  }
}

/** @typedef {Pick<CallFrame, 'lineNumber' | 'columnNumber'>} Position */

/** @param {Position} left @param {Position} right */
function isBefore (left, right) {
  return left.lineNumber < right.lineNumber || (left.lineNumber === right.lineNumber && left.columnNumber < right.columnNumber)
}

/** @param {Pick<CallFrame, 'scriptId' | 'lineNumber' | 'columnNumber'>} position */
function scriptKeyOf ({ scriptId, lineNumber, columnNumber }) {
  return `${scriptId}:${lineNumber}:${columnNumber}`
}

/** For which routes functions were seen running. */
class Votes {
  /** By line, then by column. @type {Map<string, Map<number, Tally>>} */
  #lines = new Map()
  /** Number of stack probes by route. @type {Map<number, number>} */
  #probes = new Map()

  /** @param {number} route  of a stack probe, whose votes are added separately */
  countProbe (route) {
    this.#probes.set(route, (this.#probes.get(route) ?? 0) + 1)
  }

  /** @param {FunctionKey} key @param {number} route @param {Source} source @param {number} [count] */
  add (key, route, source, count = 1) {
    const votes = this.#tallyAt(key)[source]
    votes.set(route, (votes.get(route) ?? 0) + count)
  }

  /**
   * @param {FunctionKey} key  as in a profile
   * @param {string} name  of the function there
   * @returns {Claim | 'several' | null} null: not seen often enough
   */
  claimAt ({ line, column }, name) {
    const columns = this.#lines.get(line)
    if (columns === undefined) return null
    const tallies = [columns.get(column), nearestBefore(columns, column, name.length + MAX_KEYWORDS)].filter(tally => tally !== undefined)
    const votesOf = (/** @type {Source} */ source) => sumBy(tallies.flatMap(tally => [...tally[source]]), ([route]) => route, ([, count]) => count)
    const claim = claimOf(votesOf('probes'), votesOf('samples'))
    if (claim === null || claim === 'several') return claim
    return claim.votes < MIN_VOTES_TO_CONTRADICT ? null : { ...claim, isEnough: claim.votes >= this.#neededFor(claim.route) }
  }

  /** @param {number} route */
  #neededFor (route) {
    const share = (this.#probes.get(route) ?? 0) / sum(this.#probes.values())
    return share > 0 && share < 1 ? Math.max(MIN_VOTES, Math.log(WRONG_SHARE / (1 - share)) / Math.log(share)) : MIN_VOTES
  }

  /** @param {FunctionKey} key */
  #tallyAt ({ line, column }) {
    let columns = this.#lines.get(line)
    if (columns === undefined) {
      if (this.#lines.size === MAX_LINES) this.#lines.delete(/** @type {string} */ (this.#lines.keys().next().value))
      columns = new Map()
      this.#lines.set(line, columns)
    }
    const tally = columns.get(column) ?? { probes: new Map(), samples: new Map() }
    columns.set(column, tally)
    return tally
  }
}

/** @param {Map<number, Tally>} columns @param {number} column @param {number} reach */
function nearestBefore (columns, column, reach) {
  let nearest = -1
  for (const one of columns.keys()) if (one < column && one >= column - reach && one > nearest) nearest = one
  return columns.get(nearest)
}

/**
 * @param {Map<number, number>} probes
 * @param {Map<number, number>} samples
 * @returns {Omit<Claim, 'isEnough'> | 'several' | null}
 */
function claimOf (probes, samples) {
  const votes = sum(probes.values()) + Math.min(sum(samples.values()), MAX_BY_SAMPLES)
  if (votes === 0) return null
  const routes = new Set([...withoutOutliers(probes), ...withoutOutliers(samples)])
  if (routes.size > 1) return 'several'
  const [route] = routes
  return { route, votes }
}

/** @param {Map<number, number>} votes */
function withoutOutliers (votes) {
  const enough = sum(votes.values()) * OUTLIER_SHARE
  return [...votes].filter(([, count]) => count > enough).map(([route]) => route)
}

module.exports = { NONE, FunctionRoutes }
