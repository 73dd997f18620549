'use strict'

// Detector of logging. It is spread all over an application: its time is summed.

const { sum } = require('../../../base/sums')
const { makeFinding, MIN_SAMPLES } = require('../finding')
const { isLogger } = require('../samples')
const { observedMsOf, utilizationOf } = require('../../../shared/findings/readings')
const { duration, percent, placed, rounded, sentences } = require('../../../shared/findings/format-text')
const { hotSpotAt, kindOf, placeOf, through } = require('./hot-spot')

/** @import { Detector } from '../finding' */
/** @import { Category, Readings } from '../../../shared/findings/readings' */

const LOGGING = Object.freeze({
  // A service that logs each request spends a few percent on it.
  minTimeShare: 0.15,
  minBusyShare: 0.25,
  full: 0.7,
  // From this share of its time on, writing in larger chunks is worth the change.
  minWritingShare: 0.3,
  sampleMs: 10
})

const CONSOLE = Object.freeze({
  why: 'the console writes to files and terminals synchronously, and every line is formatted on the event loop',
  instead: 'log less (a higher level, sampling), and use a logger that writes in another thread or in large chunks, such as pino with sync: false'
})
/** How loggers write in large chunks, or in another thread, instead of one synchronous write for each line. @type {Readonly<Record<string, string>>} */
const WRITES = Object.freeze({
  pino: 'pino.destination({ sync: false, minLength: 4096 }) or a transport',
  'sonic-boom': 'the options sync: false and minLength',
  log4js: "the appender 'file' or 'dateFile' instead of 'fileSync'",
  winston: 'the transport File instead of Console'
})
const LOGGER = Object.freeze({
  why: 'every line is formatted on the event loop, and large objects take the longest',
  instead: 'log less (a higher level, sampling, only the fields that are needed), and leave colors and indentation to what reads the logs, or to another thread (a transport of pino)'
})

/** The console writes synchronously to files and terminals, and every logger formats its lines on the loop. @type {Detector} */
const logging = {
  ids: ['hot-logging'],
  explains: ['many-short-turns', 'slow-elsewhere'],
  find (readings) {
    const { ms, share, samples } = loggingOf(readings)
    return samples >= MIN_SAMPLES && isSignificant(ms, share, readings) ? [describeLogging(readings)] : []
  }
}

/**
 * @param {Readings} readings
 * @returns {Category & { share: number, samples: number }}  share: of the busy time
 */
function loggingOf ({ activity }) {
  if (activity === null) return { ms: 0, where: null, share: 0, samples: 0 }
  const { categories: { logging }, busyMs } = activity
  return { ...logging, share: busyMs === 0 ? 0 : logging.ms / busyMs, samples: logging.ms / LOGGING.sampleMs }
}

/**
 * @param {string | null} name  of the package that logs
 * @param {number} writingShare  of its time, in synchronous writes to files
 */
function adviceOnLogging (name, writingShare) {
  if (name === null) return CONSOLE
  if (!isLogger(name)) return { why: CONSOLE.why, instead: `turn down what ${name} writes (its log level, its verbose or debug option), or give it a logger if it accepts one` }
  if (writingShare < LOGGING.minWritingShare) return LOGGER
  const instead = Object.hasOwn(WRITES, name) ? WRITES[name] : 'a stream or transport that does'
  return { why: `every line is written with a synchronous call, which has ${percent(writingShare)} of the logger's time: everything else waits for the disk`, instead: `write asynchronously and in large chunks (${instead}), and log less (a higher level, sampling)` }
}

/** @param {Readings} readings */
function describeLogging (readings) {
  const { ms, where, share, places = [], logger = null, writingMs = 0 } = loggingOf(readings)
  const spots = (readings.activity?.hotSpots ?? []).filter(spot => kindOf(spot) === 'hot-logging')
  const most = hotSpotAt(spots, where)
  const via = most?.culprit.via ?? null
  const by = via?.package ?? (logger !== null && isLogger(logger) ? logger : null)
  return makeFinding(readings, {
    id: 'hot-logging',
    title: `The process spends ${percent(share)} of the loop's busy time in logging${by === null ? '' : ` by ${by}`}${most === undefined ? '' : through(most.culprit)}${where === null ? '' : `, most of it for ${placed(where)}`}.`,
    lostMs: ms,
    what: sentences(
      `Logging held the loop for ${duration(ms)} of the last ${duration(observedMsOf(readings))}.`,
      where === null && places.length > 0 && `By line: ${places.map(place => `${placed(place)} (${duration(place.ms)})`).join(', ')}.`
    ),
    where: most === undefined ? where && { ...where, via: null, route: null } : placeOf(most),
    ...adviceOnLogging(by, writingMs / ms),
    evidence: { busyShare: rounded(share, 3), ms: rounded(ms), stalls: sum(spots, spot => spot.stalls.count) },
    next: [`npx loopscope profile ${readings.pid}`]
  })
}

/**
 * @param {number} ms
 * @param {number} share  of the busy time
 * @param {Readings} readings
 */
function isSignificant (ms, share, readings) {
  return ms >= observedMsOf(readings) * LOGGING.minTimeShare || (share >= LOGGING.minBusyShare && utilizationOf(readings) >= LOGGING.full)
}

module.exports = { describeLogging, logging, loggingOf }
