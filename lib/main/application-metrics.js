'use strict'

// The metrics of an application in its registry: in the one that was passed in, in one that it has, or in one of our own. They are
// numbers that others count; so they lose nothing where they are made later.

/** @import { Registry } from 'prom-client' */
/** @import { Logger } from '../../types/diagnostics' */
/** @import { MetricSources } from './metrics/metrics' */

/**
 * @param {object} parts
 * @param {() => Registry | undefined} parts.find  none: one of our own
 * @param {Logger} parts.logger
 */
function createApplicationMetrics (parts) {
  return new ApplicationMetrics(parts)
}

class ApplicationMetrics {
  #parts
  /** @type {Registry | undefined} */
  #registry
  /** While it runs. @type {MetricSources | undefined} */
  #sources
  /** @type {(() => void) | undefined} */
  #release

  /** @param {Parameters<typeof createApplicationMetrics>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  /** Who reads it finds our metrics in it. */
  get registry () {
    const registry = this.load()
    this.#hold()
    return registry
  }

  load () {
    this.#registry ??= this.#parts.find() ?? new (require('prom-client').Registry)()
    return this.#registry
  }

  /** @param {MetricSources} sources */
  start (sources) {
    this.#sources = sources
    this.#hold()
  }

  stop () {
    this.#release?.()
    this.#release = undefined
    this.#sources = undefined
  }

  #hold () {
    if (this.#registry === undefined || this.#sources === undefined || this.#release !== undefined) return
    this.#release = require('./metrics/metrics').holdMetrics({ registry: this.#registry, logger: this.#parts.logger, sources: this.#sources })
  }
}

module.exports = { createApplicationMetrics }
