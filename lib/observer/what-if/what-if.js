'use strict'

// Predicts what a change would do: for a finding, that its code is gone, or asynchronous where the fix is that; for a route, that its code is
// faster.

const os = require('node:os')
const { kindOf } = require('../findings/detectors/hot-spot')
const { processorShares, utilizationOf } = require('../../shared/findings/readings')
const { measuredRoutes, predict } = require('./predict')

/** @import { Finding } from '../../../types/findings' */
/** @import { Prediction } from '../../../types/what-if' */
/** @import { HotSpot, Readings } from '../../shared/findings/readings' */
/** @import { RequestHistory, Stretch } from './request-history' */
/** @import { Pool, Question } from './predict' */

// Findings about code that holds the loop.
const PREDICTED = new Set(['hot-sync-call', 'hot-json', 'hot-logging', 'hot-clock', 'hot-dependency', 'hot-function'])
// Their asynchronous versions run in libuv's pool, or in processes of their own.
const IN_POOL = /^(zlib\.|fs\.|crypto\.((pbkdf2|scrypt|argon2|hkdf|generateKey|generateKeyPair|generatePrime|checkPrime|randomFill)(Sync)?$|random(Bytes|Int)$|sign$|verify$|create(Sign|Verify)\(\)))/
const IN_PROCESSES = /^child_process\./
const MAX_PROCESSES = 32

class WhatIf {
  #history

  /** @param {Pick<RequestHistory, 'stretches'>} history */
  constructor (history) {
    this.#history = history
  }

  /**
   * @param {Finding} finding
   * @param {Readings} readings  that it was found in
   * @returns {Prediction | null} null: it is not about code that holds the loop now
   */
  ofFinding (finding, readings) {
    if (!PREDICTED.has(finding.id) || finding.over !== null || readings.activity === null) return null
    const spots = spotsOf(finding, readings.activity.hotSpots)
    if (spots.size === 0) return null
    const pool = poolFor(finding.id === 'hot-sync-call' ? String(finding.evidence.api) : '', readings)
    const prediction = this.#predict(readings, { change: { isCulprit: ({ spot }) => spots.has(spot) }, scale: pool === null ? 0 : 1, pool })
    return { change: pool === null ? 'removed' : 'asynchronous', ...prediction }
  }

  /** @param {{ route: string, scale: number }} wanted @param {Readings} readings @returns {Prediction} */
  ofRoute ({ route, scale }, readings) {
    const change = { isRoute: route, isCulprit: (/** @type {{ route: string | null }} */ sample) => sample.route === route }
    return { change: scale === 0 ? 'removed' : 'scaled', ...this.#predict(readings, { change, scale, pool: null }) }
  }

  /** How long the recorded requests took, by route. @param {Readings} readings */
  measured (readings) {
    return measuredRoutes(this.#stretches(readings))
  }

  /**
   * @param {Readings} readings
   * @param {Pick<Question, 'change' | 'scale' | 'pool'>} question
   */
  #predict (readings, question) {
    const { waiting: starvedShare } = processorShares(readings)
    return predict({ stretches: this.#stretches(readings), samples: readings.activity?.busySamples ?? [], starvedShare, ...question })
  }

  /** @param {Readings} readings @returns {Stretch[]} */
  #stretches ({ activity }) {
    const [first] = activity?.busySamples ?? []
    const last = activity?.busySamples.at(-1)
    return first === undefined || last === undefined ? [] : this.#history.stretches(first.atMicros - first.micros, last.atMicros)
  }
}

/**
 * The threads for what becomes asynchronous: those of libuv's pool, but no more than CPUs for what computes.
 * @param {string} api
 * @param {Readings} readings
 * @returns {Pool | null}
 */
function poolFor (api, readings) {
  const cpus = os.availableParallelism()
  const size = readings.process?.poolSize ?? 4
  const threads = IN_PROCESSES.test(api) ? MAX_PROCESSES : api.startsWith('fs.') ? size : Math.min(size, cpus)
  return IN_PROCESSES.test(api) || IN_POOL.test(api) ? { threads, cpus, others: othersOn(cpus, utilizationOf(readings)) } : null
}

/**
 * How many threads other than the loop want to run on these CPUs, by the load average of the last minute.
 * @param {number} cpus  that the process may use, of those of the machine
 * @param {number} loopShare  of a CPU that the loop uses
 */
function othersOn (cpus, loopShare) {
  const [load] = os.loadavg()
  return load === 0 ? 1 : Math.max(0, load - loopShare) * cpus / os.cpus().length // 0: not known, as on Windows
}

/**
 * @param {Finding} finding
 * @param {readonly HotSpot[]} hotSpots
 * @returns {Set<number>} the indexes of those that it reports
 */
function spotsOf ({ id, where }, hotSpots) {
  const indexes = [...hotSpots.keys()].filter(index => {
    const spot = hotSpots[index]
    if (kindOf(spot) !== id) return false
    if (id === 'hot-logging') return true
    const { culprit: { function: name, file, via } } = spot
    return where !== null && ((name === where.function && file === where.file) || (id === 'hot-dependency' && where.via !== null && via?.package === where.via.package))
  })
  return new Set(indexes)
}

module.exports = { WhatIf }
