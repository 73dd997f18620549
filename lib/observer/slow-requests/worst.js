'use strict'

// Keeps the worst requests of each route in the last quarter of an hour. Almost no slow request is one of them: finding that out costs a map lookup
// and a few comparisons.

// Ten per route; with a hundred routes at least the worst of each.
const MAX_OF_ROUTE = 10
const MAX_IN_ALL = 100
// Only the recent past matters: a slow start or a deployment an hour ago must not hide the requests of now.
const MAX_AGE_MICROS = 15 * 60e6

/**
 * @template {{ route: string, durationMicros: number, toMicros: number }} T
 */
class Worst {
  /** Worst first. @type {Map<string, T[]>} */
  #byRoute = new Map()
  #count = 0
  #oldestMicros = Infinity

  /**
   * @param {string} route
   * @param {number} durationMicros
   * @param {number} micros  now
   */
  isAmong (route, durationMicros, micros) {
    if (this.#oldestMicros < micros - MAX_AGE_MICROS) this.#forget(micros - MAX_AGE_MICROS)
    const requests = this.#byRoute.get(route)
    return requests === undefined || requests.length < MAX_OF_ROUTE || durationMicros > requests[MAX_OF_ROUTE - 1].durationMicros
  }

  /** @param {T} request  one for which isAmong() is true */
  add (request) {
    this.#forget(request.toMicros - MAX_AGE_MICROS)
    const requests = this.#byRoute.get(request.route) ?? []
    this.#byRoute.set(request.route, requests)
    requests.push(request)
    requests.sort((left, right) => right.durationMicros - left.durationMicros)
    this.#count++
    this.#oldestMicros = Math.min(this.#oldestMicros, request.toMicros)
    if (requests.length > MAX_OF_ROUTE) this.#drop(requests)
    else if (this.#count > MAX_IN_ALL) this.#drop(this.#mostKept())
  }

  /**
   * @param {number} micros  now
   * @returns {T[]} worst first
   */
  list (micros) {
    this.#forget(micros - MAX_AGE_MICROS)
    return [...this.#byRoute.values()].flat().sort((left, right) => right.durationMicros - left.durationMicros)
  }

  /** The route with the most requests; of several, the one with the shortest request. So no route takes all places. */
  #mostKept () {
    return [...this.#byRoute.values()].reduce((most, requests) => {
      if (requests.length !== most.length) return requests.length > most.length ? requests : most
      return shortestOf(requests) < shortestOf(most) ? requests : most
    })
  }

  /** @param {T[]} requests  of one route; the shortest is dropped */
  #drop (requests) {
    const dropped = /** @type {T} */ (requests.pop())
    if (requests.length === 0) this.#byRoute.delete(dropped.route)
    this.#count--
  }

  /** @param {number} beforeMicros */
  #forget (beforeMicros) {
    for (const [route, requests] of this.#byRoute) {
      const left = requests.filter(({ toMicros }) => toMicros >= beforeMicros)
      this.#count -= requests.length - left.length
      if (left.length === 0) this.#byRoute.delete(route)
      else this.#byRoute.set(route, left)
    }
    this.#oldestMicros = Math.min(...[...this.#byRoute.values()].flat().map(({ toMicros }) => toMicros))
  }
}

/** @param {{ durationMicros: number }[]} requests  worst first */
function shortestOf (requests) {
  return requests[requests.length - 1].durationMicros
}

module.exports = { Worst, MAX_AGE_MICROS }
