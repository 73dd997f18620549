'use strict'

// Turns readings into one ranked list of findings: every detector runs, findings that another one explains are dropped, and the rest is ranked by
// lost time. Problems that ended before the observed time are included, with their time. If there is no problem, or too little data, the list has a
// finding for that. Pure.

const { sum } = require('../../base/sums')
const { makeFinding } = require('./finding')
const { inFlightOf, NOTABLE_WORKERS, observedMsOf, requestsPerSecond, sumStalls, utilizationOf, workersOf } = require('../../shared/findings/readings')
const { DETECTORS } = require('./detectors')
const { mostOfWork } = require('./detectors/hot')
const { byWeight } = require('../../shared/findings/merge-findings')
const { duration, percent, rounded, sentences, times } = require('../../shared/findings/format-text')

/** @import { Finding, Findings } from '../../../types/findings' */
/** @import { Detector } from './finding' */
/** @import { Readings } from '../../shared/findings/readings' */

const MAX_OVER = 3
// In less time than this no pattern shows.
const MIN_OBSERVED_MS = 5000

/**
 * @param {Readings} readings
 * @param {{ appName: string }} facts
 * @param {readonly Detector[]} [detectors]
 * @returns {Findings}
 */
function findFindings (readings, { appName }, detectors = DETECTORS) {
  const { at, pid, blockedMs, isStale } = readings
  const findIn = (/** @type {Readings} */ some) => {
    /** @type {{ finding: Finding, detector: Detector }[]} */
    const all = []
    for (const detector of detectors) all.push(...detector.find(some, all.map(({ finding }) => finding)).map(finding => ({ finding, detector })))
    return withoutExplained(all)
  }
  const ranked = findIn(readings).toSorted(byWeight)
  // Findings that are only information stand beside "no significant problem".
  const isWrong = (/** @type {Finding} */ { severity }) => severity === 'critical' || severity === 'warning'
  const wrong = [...ranked.filter(isWrong), ...findOver(readings.earlier ?? [], findIn, ranked)]
  return {
    at,
    pid,
    appName,
    observedSeconds: rounded(observedMsOf(readings) / 1e3),
    observed: observedOf(readings),
    blockedMs: Math.round(blockedMs),
    isStale,
    figures: figuresOf(readings),
    findings: [...wrong.length > 0 ? wrong : [noProblem(readings)], ...ranked.filter(finding => !isWrong(finding))]
  }
}

/** @param {{ finding: Finding, detector: Detector }[]} found @returns {Finding[]} */
function withoutExplained (found) {
  const isExplained = (/** @type {Finding} */ { id }) => found.some(({ finding, detector }) => {
    return finding.id !== id && finding.severity !== 'info' && detector.explains.includes(id)
  })
  return found.map(({ finding }) => finding).filter(finding => !isExplained(finding))
}

/** @param {Readings} readings @returns {Findings['observed']} */
function observedOf ({ at, activity }) {
  return activity === null ? { from: at, to: at } : { from: Math.round(activity.fromMs), to: Math.round(activity.fromMs + activity.observedMs) }
}

/** @param {Readings} readings @returns {Findings['figures']} */
function figuresOf (readings) {
  const { activity, process, pace, stalls, blockedMs } = readings
  const inFlight = inFlightOf(readings)
  const workers = workersOf(readings)
  return {
    delayP99Ms: process === null ? null : rounded(process.delay.p99Ms),
    utilization: activity === null ? null : rounded(utilizationOf(readings), 3),
    workers: workers === null ? null : rounded(workers, 3),
    longestStallMs: Math.round(Math.max(0, blockedMs, ...stalls.map(({ durationMs }) => durationMs))),
    stalls: stalls.length,
    requestsPerSecond: pace.ms === 0 ? null : rounded(requestsPerSecond(readings)),
    requestsInFlight: inFlight === null ? null : rounded(inFlight)
  }
}

/**
 * Problems that ended before the observed time, found by the same detectors: right after an incident the process is not simply fine.
 * @param {readonly Readings[]} earlier
 * @param {(readings: Readings) => Finding[]} findIn
 * @param {readonly Finding[]} now  what is reported already
 * @returns {Finding[]} most lost time first
 */
function findOver (earlier, findIn, now) {
  const reported = new Set(now.map(keyOf))
  /** @type {Map<string, Finding>} */
  const byPlace = new Map()
  for (const readings of earlier) {
    for (const finding of findIn(readings).filter(({ severity }) => severity === 'critical' || severity === 'warning')) {
      const key = keyOf(finding)
      if (!reported.has(key)) byPlace.set(key, joined(byPlace.get(key), toOver(finding, readings)))
    }
  }
  return [...byPlace.values()].sort((left, right) => right.lostMs - left.lostMs).slice(0, MAX_OVER)
}

/** @param {Finding} finding */
function keyOf ({ id, where }) {
  return JSON.stringify([id, where && [where.function, where.file]])
}

/**
 * @param {Finding} finding
 * @param {Readings} readings  of its period
 * @returns {Finding}
 */
function toOver (finding, { stalls }) {
  const from = Math.min(...stalls.map(({ at }) => at))
  const to = Math.max(...stalls.map(({ at, durationMs }) => at + durationMs))
  const over = finding.over ?? { from: Math.round(from), to: Math.round(to) }
  // The recorder holds that time no more.
  const next = finding.next.filter(command => !command.startsWith('npx loopscope profile'))
  return { ...finding, severity: 'warning', title: inPast(finding.title), what: inPast(finding.what), over, next }
}

/**
 * The same problem in two periods, with the text of the later one.
 * @param {Finding | undefined} earlier
 * @param {Finding} later
 * @returns {Finding}
 */
function joined (earlier, later) {
  if (!earlier?.over || !later.over) return later
  return { ...later, since: earlier.since, lostMs: rounded(earlier.lostMs + later.lostMs), over: { from: earlier.over.from, to: later.over.to } }
}

/** @param {string} text */
function inPast (text) {
  return text.replace(' and in the last second,', ',').replace(/\bspends\b/g, 'spent').replace(/\btakes?\b/g, 'took').replace(/\b(of|in) the last (?=\d)/gi, '$1 ')
}

/**
 * The answer when no detector found a problem: no significant problem, with the figures, or too little data to judge.
 * @param {Readings} readings
 */
function noProblem (readings) {
  return observedMsOf(readings) < MIN_OBSERVED_MS ? tooLittle(readings) : nothingWrong(readings)
}

/** @param {Readings} readings */
function tooLittle (readings) {
  const observed = duration(observedMsOf(readings))
  const isOff = readings.activity === null
  return makeFinding(readings, {
    id: 'too-little-seen',
    severity: 'none',
    title: isOff ? 'Nothing was recorded, so there are no findings.' : `Too little data for findings: ${observed} observed.`,
    lostMs: 0,
    what: isOff ? 'The recorder is off, or paused.' : `The recorder holds ${observed} of this process so far.`,
    why: 'patterns show only after some seconds of work',
    instead: isOff ? 'turn the option recorder on' : `try again under load, in ${duration(MIN_OBSERVED_MS)} or more`,
    confidence: 'low',
    evidence: { observedMs: observedMsOf(readings) },
    next: [`npx loopscope why ${readings.pid}`]
  })
}

/** @param {Readings} readings */
function nothingWrong (readings) {
  const { process, stalls } = readings
  const all = sumStalls(readings, ['code', 'gc', 'starved', 'suspended', 'unknown'])
  const p99 = process === null ? [] : [`delay p99 ${duration(process.delay.p99Ms)}`]
  const longest = all.count === 0 ? 'no stall' : `${times(all.count, 'stall')}, the longest ${duration(all.longestMs)}`
  const workers = workersOf(readings) ?? 0
  const threads = workers < NOTABLE_WORKERS ? [] : [`worker threads ${percent(workers)} of a CPU`]
  const most = mostOfWork(readings)
  const figures = [`utilization ${percent(utilizationOf(readings))}`, ...threads, longest, ...p99].join(', ')
  return makeFinding(readings, {
    id: 'nothing-wrong',
    severity: 'none',
    title: `No significant problem found${threads.length === 0 ? '' : ' in the event loop'}: ${figures}.`,
    lostMs: 0,
    what: sentences(`Observed ${duration(observedMsOf(readings))}: ${figures}.`, watched(readings), most?.title),
    why: 'nothing takes so much time that other work waits for it',
    instead: most?.instead ? `nothing has to change; to use less CPU: ${most.instead}` : '',
    confidence: readings.isStale ? 'low' : 'high',
    evidence: { utilization: utilizationOf(readings), stalls: stalls.length, longestStallMs: all.longestMs, delayP99Ms: process?.delay.p99Ms ?? null },
    next: []
  })
}

/** What an all-clear is about. @param {Readings} readings */
function watched ({ activity, pace, waits = [], threads, memory }) {
  const requests = sum(pace.routes, ({ count }) => count)
  const sampledWaits = sum(waits, ({ requests }) => requests)
  const parts = [
    ...(activity === null ? [] : [times(activity.samples, 'sample'), 'stalls']),
    times(requests, 'request'),
    ...(sampledWaits === 0 ? [] : [`the waits of ${sampledWaits} of them`]),
    ...(memory === null ? [] : ['memory']),
    ...(threads === null ? [] : ['worker threads'])
  ]
  return `Watched: ${parts.join(', ')}.`
}

module.exports = { findFindings }
