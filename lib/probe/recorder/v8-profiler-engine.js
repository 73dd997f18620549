'use strict'

// The engine for hosts where the inspector is compiled out or forbidden, based on the native package v8-profiler-next, an optional peer. It
// serializes windows on the main thread, and the observer cannot interrupt a stall through it.

const { errors } = require('../../base/errors')
const { ownRequire } = require('../../base/own-files')

/** @import { Engine } from './engines' */
/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */

const PACKAGE = 'v8-profiler-next'

/** @param {{ hz: number }} options @returns {Engine} @throws ERR_LOOPSCOPE_ENGINE_MISSING */
function createV8ProfilerEngine ({ hz }) {
  const profiler = load()
  profiler.setGenerateType(1) // flat nodes, as in a .cpuprofile
  profiler.setSamplingInterval(Math.round(1e6 / hz))
  let open = ''
  /** @param {string} title */
  const end = title => {
    const profile = profiler.stopProfiling(title)
    try {
      return plainProfile(profile)
    } finally {
      profile.delete()
    }
  }
  return {
    open (title) {
      profiler.startProfiling(title, true)
      open = title
    },
    rotate (nextTitle) {
      profiler.startProfiling(nextTitle, true)
      const ended = end(open)
      open = nextTitle
      return ended
    },
    close () {
      const ended = open === '' ? null : end(open)
      open = ''
      return ended
    }
  }
}

function load () {
  try {
    return ownRequire()(PACKAGE)
  } catch (error) {
    throw new errors.ERR_LOOPSCOPE_ENGINE_MISSING(PACKAGE, PACKAGE, /** @type {Error} */ (error).message.split('\n', 1)[0], PACKAGE)
  }
}

/**
 * Converts a profile to the inspector's format: the package's counts lines from 1, and lives in the addon until it is deleted.
 * @param {any} profile
 * @returns {CpuProfile}
 */
function plainProfile ({ nodes, startTime, endTime, samples, timeDeltas }) {
  return { nodes: nodes.map(plainNode), startTime, endTime, samples, timeDeltas }
}

/** @param {any} node */
function plainNode ({ id, hitCount, children, callFrame }) {
  const { functionName, scriptId, url, lineNumber, columnNumber, lineTicks } = callFrame
  return {
    id,
    hitCount,
    children,
    callFrame: { functionName, scriptId, url, lineNumber: lineNumber - 1, columnNumber: columnNumber - 1 },
    /** @type {ProfileNode['positionTicks']} */
    positionTicks: lineTicks?.map((/** @type {any} */ tick) => ({ line: tick.line, ticks: tick.hitCount }))
  }
}

module.exports = { createV8ProfilerEngine }
