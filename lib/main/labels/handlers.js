'use strict'

// The functions that answer a route, as the framework keeps them: the observer asks V8 where they begin, and knows their frames in
// profiles from then on. Each route is read once.

const { handlersOf, isFinished } = require('../http/route-template')

// Routes are few; what is masked may be many.
const MAX_ROUTES = 500
const MAX_FUNCTIONS = 4 // of a route: middleware of its own comes first, the handler last

function createHandlers () {
  return new Handlers()
}

class Handlers {
  /** @type {Set<string>} */
  #seen = new Set()
  /** Not asked for yet: a route, then its functions. @type {(string | Function)[]} */
  #fresh = []

  /** How many routes the observer has not heard of. */
  get freshCount () { return this.#fresh.length }

  /**
   * @param {string} route
   * @param {any} request  of which the route is known
   */
  notice (route, request) {
    // The handler of GET answers HEAD as well, and is of two routes only in name.
    if (this.#seen.has(route) || this.#seen.size === MAX_ROUTES || request.method === 'HEAD' || isFinished(request)) return
    this.#seen.add(route)
    const functions = handlersOf(request).slice(-MAX_FUNCTIONS)
    if (functions.length > 0) this.#fresh.push(route, ...functions)
  }

  take () {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }

  /** There is an observer that knows nothing. */
  forget () {
    this.#seen.clear()
    this.#fresh = []
  }
}

module.exports = { createHandlers }
