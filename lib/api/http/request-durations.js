'use strict'

// Counts how long requests took, by method, route and status, and how many are in flight: cumulative, never reset. It bounds the number of series
// itself, because a client chooses what it requests.

const { BucketCounts } = require('../../base/bucket-counts')
const { assertInteger } = require('../../base/validate')
const { warnOnce } = require('../../base/warnings')
const { UNMATCHED } = require('../../probe/http/route-template')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { BucketReading } from '../../base/bucket-counts' */

// The bounds that OpenTelemetry recommends for http.server.request.duration.
const BOUNDS_SECONDS = Object.freeze([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])

const OTHER = '_other'

// Beyond the limit a route shares its counts, but keeps its own name, so that a request of it allocates no more than any other. More routes than a
// service has.
const MAX_SHARING = 2000

const DEFAULTS = Object.freeze({
  maxRoutes: 100 // 17 series for each method and status of a route: more than this is a burden for Prometheus
})

/**
 * @typedef {object} Active  requests in flight
 * @property {string} method  bounded by the caller: a standard method or '_OTHER'
 * @property {'http' | 'https'} scheme
 * @property {number} count
 */

/**
 * @typedef {object} FinishedRequest
 * @property {Active} active  what started() returned for it
 * @property {string} route   path template without the method
 * @property {number} status
 * @property {number} seconds
 */

/**
 * @typedef {object} MethodCounts
 * @property {string} name  `METHOD /path/:template`
 * @property {Map<number | string, BucketCounts>} byStatus  those of '_other' if the route shares its counts
 */

/**
 * @typedef {object} DurationsReading
 * @property {{ method: string, scheme: 'http' | 'https', route: string, status: string, reading: BucketReading }[]} durations
 * @property {Active[]} active
 * @property {number} overflowed  requests counted under '_other', for their route or their status
 * @property {ReadonlySet<string>} endless  routes, with their method, that answer as long as their client wants
 */

/** @param {{ maxRoutes?: number, logger?: Pick<Logger, 'warn'> }} [options] @returns {RequestDurations} */
function createRequestDurations ({ maxRoutes = DEFAULTS.maxRoutes, logger } = {}) {
  assertInteger('options.maxRoutes', maxRoutes, 1, 500)
  return new RequestDurations(maxRoutes, logger)
}

class RequestDurations {
  #maxRoutes
  #logger
  #routeCount = 0
  #overflowed = 0
  /** By route, then by method and scheme. @type {Map<string, Map<Active, MethodCounts>>} */
  #byRoute = new Map()
  /** Likewise, for routes that are counted under '_other'. @type {Map<string, Map<Active, MethodCounts>>} */
  #sharing = new Map()
  /** By method. @type {Record<'http' | 'https', Map<string, Active>>} */
  #active = { http: new Map(), https: new Map() }
  /** @type {Set<string>} */
  #endless = new Set()
  /** Arrived and answered. @type {Float64Array} */
  #totals = new Float64Array(2)

  /** @param {number} maxRoutes @param {Pick<Logger, 'warn'>} [logger] */
  constructor (maxRoutes, logger) {
    this.#maxRoutes = maxRoutes
    this.#logger = logger
  }

  /**
   * Counts in memory of the caller from now on: two doubles, for requests that arrived and were answered.
   * @param {Float64Array} totals
   */
  countIn (totals) {
    totals.set(this.#totals)
    this.#totals = totals
  }

  /** @param {string} method @param {'http' | 'https'} scheme @returns {Active} pass it to finished() at the end */
  started (method, scheme) {
    const active = this.#active[scheme].get(method) ?? this.#learnActive(method, scheme)
    active.count++
    this.#totals[0]++
    return active
  }

  /**
   * @param {FinishedRequest} request
   * @returns {string} the name of its route, one string for all of its requests, so that a map lookup need not hash it each time
   */
  finished ({ active, route, status, seconds }) {
    active.count--
    this.#totals[1]++
    const own = this.#byRoute.get(route)
    const counts = (own ?? this.#sharing.get(route))?.get(active)
    const buckets = counts?.byStatus.get(status)
    if (counts === undefined || buckets === undefined) return this.#learn(active, route, status, seconds)
    if (own === undefined) this.#overflowed++
    buckets.observe(seconds)
    return counts.name
  }

  /** @param {string} name  of a route, as finished() returned it, whose requests end when their client leaves: they are counted, and not slow */
  noteEndless (name) {
    if (this.#endless.size < this.#maxRoutes) this.#endless.add(name)
  }

  /** @param {string} method @param {'http' | 'https'} scheme */
  #learnActive (method, scheme) {
    const active = { method, scheme, count: 0 }
    this.#active[scheme].set(method, active)
    return active
  }

  /**
   * Counts a new combination; beyond the limits together with other routes or statuses.
   * @param {Active} active
   * @param {string} route
   * @param {number} status
   * @param {number} seconds
   */
  #learn (active, route, status, seconds) {
    const boundedRoute = this.#admit(route)
    const boundedStatus = Number.isInteger(status) && status >= 100 && status <= 599 ? status : OTHER
    if (boundedStatus === OTHER || boundedRoute !== route) this.#overflowed++
    const { name, byStatus } = entryOf(entryOf(this.#byRoute, boundedRoute, createMap), active, () => ({ name: `${active.method} ${boundedRoute}`, byStatus: new Map() }))
    entryOf(byStatus, boundedStatus, () => new BucketCounts(BOUNDS_SECONDS)).observe(seconds)
    return boundedRoute === route ? name : this.#share(active, route, byStatus)
  }

  /**
   * @param {Active} active
   * @param {string} route  that is counted with others
   * @param {MethodCounts['byStatus']} byStatus  the shared counts
   * @returns {string} its own name
   */
  #share (active, route, byStatus) {
    const name = `${active.method} ${route}`
    if (this.#sharing.size < MAX_SHARING) entryOf(entryOf(this.#sharing, route, createMap), active, () => ({ name, byStatus }))
    return name
  }

  /** @returns {DurationsReading} */
  read () {
    const durations = []
    for (const [route, byMethod] of this.#byRoute) {
      for (const [{ method, scheme }, { byStatus }] of byMethod) {
        for (const [status, buckets] of byStatus) durations.push({ method, scheme, route, status: String(status), reading: buckets.read() })
      }
    }
    const active = Object.values(this.#active).flatMap(byMethod => [...byMethod.values()].map(counted => ({ ...counted })))
    return { durations, active, overflowed: this.#overflowed, endless: this.#endless }
  }

  /** @param {string} route @returns {string} the route, or '_other' when there are too many already */
  #admit (route) {
    if (this.#byRoute.has(route) || route === UNMATCHED || route === OTHER) return route
    if (this.#routeCount === this.#maxRoutes) {
      if (this.#logger) warnOnce(this.#logger, 'LOOPSCOPE_WARN_ROUTE_LIMIT', this.#maxRoutes)
      return OTHER
    }
    this.#routeCount++
    return route
  }
}

/** @returns {Map<any, any>} */
function createMap () {
  return new Map()
}

/** @template K, V @param {Map<K, V>} map @param {K} key @param {() => V} create @returns {V} */
function entryOf (map, key, create) {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = create()
  map.set(key, made)
  return made
}

module.exports = { createRequestDurations, BOUNDS_SECONDS, DEFAULTS }
