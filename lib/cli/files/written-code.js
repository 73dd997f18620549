'use strict'

// Profiles as the code was written, by the source maps that are on this machine: the same lookup as in a process, in a thread of its own.

const { Failure } = require('../failure')
const { SOURCES } = require('../../shared/formats/formats')
const { createSourceMaps } = require('../../shared/source-maps/source-maps')

/** @import { Invocation } from '../commands' */
/** @import { CpuProfile, Sources } from '../../../types/profile' */
/** @import { SamplingProfile } from '../../shared/formats/profile/heap-tree' */

// A command may take its time: a thread that reads maps is ended long before.
const ASKING = Object.freeze({ maxMs: 120_000, isAsked: true })

const SOURCES_OPTION = Object.freeze(/** @type {const} */ ({
  type: 'string',
  meaning: `code as it was written (default), by source maps on this machine, or as it runs: ${SOURCES.join(', ')}`
}))

/**
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {Sources} [usual]  whose places, unless the options say otherwise
 * @throws {Failure} for sources that are none
 */
function createWrittenCode ({ values, terminal }, usual = 'original') {
  const { sources = usual, root: appRoot = process.cwd() } = values
  assertSources(sources)
  let isTold = false
  /** @param {string} problem */
  const onProblem = problem => {
    if (!isTold) terminal.note(`a source map cannot be used, so that code is shown as it runs: ${problem}`)
    isTold = true
  }
  const maps = createSourceMaps({ isOn: sources === 'original', appRoot, onProblem })
  return {
    /** @param {CpuProfile} profile */
    profile: profile => maps.profile(profile, ASKING),
    /** @param {SamplingProfile} profile */
    heapProfile: async profile => (await maps.heapSampling({ profile, before: null }, ASKING)).profile
  }
}

/** @param {any} sources  undefined: the usual ones */
function assertSources (sources) {
  if (sources === undefined || SOURCES.includes(sources)) return
  throw new Failure('usage', `${sources} are no sources.`, `Known: ${SOURCES.join(', ')}.`)
}

module.exports = { SOURCES_OPTION, assertSources, createWrittenCode }
