'use strict'

// Modules that are loaded: at start-up that is over when it is read, and of interest where starts are waited for; later it is a
// synchronous call like any other.

const { makeFinding } = require('../finding')
const { observedMsOf } = require('../readings')
const { kindOf } = require('./hot/kind')
const { duration, percent, placed, rounded } = require('../words')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Rule } from '../finding' */
/** @import { Readings, Spot } from '../readings' */

// What an application of a few hundred modules takes is nothing to change.
const MIN_MS = 1000
// Deployments and restarts wait for it: longer than most probes of readiness do before they complain.
const LONG_MS = 3000
// So long after the start it is news.
const RECENT_MS = 90_000
const MIN_LATE_STALLS = 2

/** @type {Rule} */
module.exports = {
  ids: ['start-up'],
  explains: [],
  find (readings) {
    const { activity, process, at, startedAt } = readings
    const spots = (activity?.spots ?? []).filter(spot => kindOf(spot) === 'start-up')
    const late = spots.filter(({ isStartUp, stalls }) => !isStartUp && stalls.count >= MIN_LATE_STALLS)
    if (late.length > 0) return late.map(spot => say(readings, spot.ms, spot, false))
    // The recorder begins in the midst of it.
    const ms = Math.max(process?.startUpMs ?? 0, activity?.topics.loading.ms ?? 0)
    return at - startedAt < RECENT_MS && ms >= MIN_MS ? [say(readings, ms, spots[0], true)] : []
  }
}

/**
 * @param {Readings} readings
 * @param {number} ms
 * @param {Spot | undefined} spot
 * @param {boolean} isAtStart
 * @returns {Finding}
 */
function say (readings, ms, spot, isAtStart) {
  const place = spot?.culprit ?? readings.activity?.topics.loading.where ?? null
  const busyMs = readings.activity?.busyMs ?? 0
  const where = place === null ? '' : `, most of it by ${placed(place)}`
  return makeFinding(readings, {
    id: 'start-up',
    ...(isAtStart && { severity: ms >= LONG_MS ? 'warning' : 'info' }),
    title: isAtStart
      ? `Start-up held the loop for ${duration(ms)}${where}: it is over.`
      : `Modules are loaded while requests wait: ${duration(ms)}${where}.`,
    lostMs: ms,
    what: isAtStart
      ? `From its first line to the first turn of the loop the application took ${duration(ms)}; until then it answers nothing.${place === null ? ' Preloaded with LOOPSCOPE_START_AT_ONCE=true it is recorded from its first line, and what took the time is named.' : ''}`
      : `Loading and compiling modules took ${duration(ms)} of the last ${duration(observedMsOf(readings))}, ${percent(busyMs === 0 ? 0 : ms / busyMs)} of the busy time.`,
    where: place && { function: place.function, file: place.file, line: place.line, column: place.column, via: null, route: spot?.route ?? null },
    why: 'loading a module reads, compiles and runs each file on the event loop, and what stands at the top of a file runs with it',
    instead: isAtStart
      ? 'let the process be asked only when it is ready; to start sooner compute and load less at the top of files, bundle, or use module.enableCompileCache()'
      : 'require it at the top of the file, at start-up, or import it once before requests come',
    evidence: { ms: rounded(ms), uptimeMs: readings.process?.uptimeMs ?? null },
    next: [`npx loopscope profile ${readings.pid}`]
  })
}
