'use strict'

// How long requests took, by method, route and status, and how many are being answered: cumulative, never reset.
// It bounds the number of series itself, because a client chooses what it asks for.

const { BucketCounts } = require('../../shared/base/bucket-counts')
const { assertInteger } = require('../../shared/base/validate')
const { warnOnce } = require('../../shared/base/warnings')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { BucketReading } from '../../shared/base/bucket-counts' */

// The bounds that OpenTelemetry advises for http.server.request.duration.
const BOUNDS_SECONDS = Object.freeze([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])

const OTHER = '_other'
const UNMATCHED = '_unmatched'

const DEFAULTS = Object.freeze({
  maxRoutes: 100 // 17 series for each method and status of a route: more than this is a burden for Prometheus
})

/**
 * @typedef {object} FinishedRequest
 * @property {string} method   bounded by the caller: a known method or '_OTHER'
 * @property {string} route    path template without the method
 * @property {number} status
 * @property {number} seconds
 * @property {string} scheme   as given to started()
 */

/**
 * @typedef {object} DurationsReading
 * @property {{ method: string, route: string, status: string, reading: BucketReading }[]} durations
 * @property {{ method: string, scheme: string, count: number }[]} active
 * @property {number} overflowed  requests counted under '_other', for their route or their status
 */

/**
 * @param {{ maxRoutes?: number, logger?: Pick<Logger, 'warn'> }} [options]
 * @returns {RequestDurations}
 */
function createRequestDurations ({ maxRoutes = DEFAULTS.maxRoutes, logger } = {}) {
  assertInteger('options.maxRoutes', maxRoutes, 1, 500)
  return new RequestDurations(maxRoutes, logger)
}

class RequestDurations {
  #maxRoutes
  #logger
  #routeCount = 0
  #overflowed = 0
  /** @type {Map<string, Map<string, Map<number | string, BucketCounts>>>} route, method, status */
  #byRoute = new Map()
  /** By method. @type {Record<'http' | 'https', Map<string, { count: number }>>} */
  #active = { http: new Map(), https: new Map() }

  /**
   * @param {number} maxRoutes
   * @param {Pick<Logger, 'warn'>} [logger]
   */
  constructor (maxRoutes, logger) {
    this.#maxRoutes = maxRoutes
    this.#logger = logger
  }

  /**
   * @param {string} method
   * @param {string} scheme  'http' or 'https'
   */
  started (method, scheme) {
    this.#addActive(method, scheme, 1)
  }

  /** @param {FinishedRequest} request */
  finished ({ method, route, status, seconds, scheme }) {
    this.#addActive(method, scheme, -1)
    const known = this.#byRoute.get(route)?.get(method)?.get(status)
    if (known !== undefined) known.observe(seconds)
    else this.#learn(method, route, status).observe(seconds)
  }

  /**
   * @param {string} method
   * @param {string} route
   * @param {number} status
   * @returns {BucketCounts} what counts it, and perhaps others of a route or a status that there is no room for
   */
  #learn (method, route, status) {
    const boundedRoute = this.#admit(route)
    const boundedStatus = isStatus(status) ? status : OTHER
    if (boundedStatus === OTHER || boundedRoute !== route) this.#overflowed++
    return entryOf(entryOf(entryOf(this.#byRoute, boundedRoute, createMap), method, createMap), boundedStatus, createBuckets)
  }

  /** @returns {DurationsReading} */
  read () {
    const durations = []
    for (const [route, byMethod] of this.#byRoute) {
      for (const [method, byStatus] of byMethod) {
        for (const [status, buckets] of byStatus) durations.push({ method, route, status: String(status), reading: buckets.read() })
      }
    }
    const active = []
    for (const [scheme, byMethod] of Object.entries(this.#active)) {
      for (const [method, { count }] of byMethod) active.push({ method, scheme, count })
    }
    return { durations, active, overflowed: this.#overflowed }
  }

  /**
   * @param {string} method
   * @param {string} scheme
   * @param {number} change
   */
  #addActive (method, scheme, change) {
    entryOf(scheme === 'https' ? this.#active.https : this.#active.http, method, createCount).count += change
  }

  /**
   * @param {string} route
   * @returns {string} the route, or '_other' when there are too many already
   */
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

/** @param {number} status */
function isStatus (status) {
  return Number.isInteger(status) && status >= 100 && status <= 599
}

/** @returns {Map<any, any>} */
function createMap () {
  return new Map()
}

function createCount () {
  return { count: 0 }
}

function createBuckets () {
  return new BucketCounts(BOUNDS_SECONDS)
}

/**
 * @template K, V
 * @param {Map<K, V>} map
 * @param {K} key
 * @param {() => V} create
 * @returns {V}
 */
function entryOf (map, key, create) {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = create()
  map.set(key, made)
  return made
}

module.exports = { createRequestDurations, BOUNDS_SECONDS, DEFAULTS }
