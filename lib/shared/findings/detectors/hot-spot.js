'use strict'

// A hot spot, the place in the code where much of the time was spent, as findings have it: what kind of work it is, when it is worth a finding,
// and its figures in sentences. Pure.

const { dependencyOf, isInPackage } = require('../../formats/profile/frame')
const { CRITICAL_SHARE, makeFinding, MIN_SAMPLES } = require('../finding')
const { inFlightOf, longestBehind, observedMsOf, onlyRoute, ranShare, utilizationOf } = require('../readings')
const { duration, percent, placed, rounded, times } = require('../format-text')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Readings, HotSpot } from '../readings' */

const JSON_CALLS = new Set(['JSON.parse', 'JSON.stringify', 'parse', 'stringify'])
// Half of a hot spot: then mending the call mends the hot spot.
const MIN_SYNC_SHARE = 0.5
// Tasks that do next to nothing leave the queue a fifth to nine tenths of the time, one that works for milliseconds a hundredth.
const MIN_QUEUE_SHARE = 0.1

// One short stall in a minute is a collection, a first call that was compiled, a busy machine: it becomes a finding with the second one, or
// when it was five times as long as what counts.
const MIN_STALLS = 2
const LONG_STALL = 5
// And it is a loss that somebody could feel: one request in a hundred came at that time.
const MIN_STALLED_SHARE = 0.01
// Of the busy time, and of those that are named.
const MIN_ROUTE_SHARE = 0.01
const MAX_ROUTES = 4
const MOST = 0.6
const MAX_LINES = 5

const MODULES = Object.freeze({
  fs: require('node:fs'),
  crypto: require('node:crypto'),
  zlib: require('node:zlib'),
  child_process: require('node:child_process')
})
// Synchronous although no name says so.
const SYNCHRONOUS = new Set(['randomBytes', 'randomInt', 'sign', 'verify', 'hash', 'diffieHellman', 'createDiffieHellman'])
const WITHOUT_MODULE = new Set(['Atomics.wait', 'zlib.*Sync'])

/**
 * What kind of work a hot spot is, by what was called there.
 * @param {HotSpot} spot
 * @returns {Finding['id'] | 'start-up'}
 */
function kindOf (spot) {
  const { culprit, text, sync, ms, queueMs, isLogging, isStartUp, origin } = spot
  if (isStartUp || (sync?.api === 'require' && sync.share >= MIN_SYNC_SHARE)) return 'start-up'
  // It ran again and again with little to do each time. Where it has much to do, whatever is awaited on the line, that is what took the time.
  if (queueMs >= (ms + queueMs) * MIN_QUEUE_SHARE) return 'task-flood'
  if (isLogging) return 'hot-logging'
  if (JSON_CALLS.has(culprit.call ?? '') || jsonOn(spot) !== null) return 'hot-json'
  if (apiOf(culprit.call) !== null || (sync?.share ?? 0) >= MIN_SYNC_SHARE) return 'hot-sync-call'
  if (culprit.via !== null || origin === 'dependency') return 'hot-dependency'
  // V8 has no frame for reading the time: it is on the line, or nowhere.
  if (culprit.call === null && /\b(Date\.now|new Date|performance\.now|process\.hrtime(\.bigint)?) *\(/.test(text)) return 'hot-clock'
  return 'hot-function'
}

/**
 * The builtin that is written on the line, where no other call there is known: V8 has no frame for it, and interrupts it late.
 * @param {HotSpot} spot
 * @returns {string | null}
 */
function jsonOn ({ culprit, text }) {
  const isCallThere = culprit.call !== null && text.includes(`${culprit.call.split('.').at(-1)}(`)
  return !isCallThere && culprit.via === null ? /\bJSON\.(parse|stringify)(?= *\()/.exec(text)?.[0] ?? null : null
}

/**
 * Whether a hot spot is worth a finding.
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {object} enough    without stalls
 * @param {number} enough.ofTime  part of the observed time from which on it is told
 * @param {number} [enough.ofBusy]  part of the busy time, when the loop is nearly full
 * @param {number} [enough.full]  what counts as nearly full
 */
function isWorth (spot, readings, { ofTime, ofBusy = 1, full = 0.7 }) {
  if (isStalling(spot, readings) || isHoldingNow(spot, readings)) return true
  if (spot.samples < MIN_SAMPLES) return false
  const share = ranShare(readings) * spot.ownMs / Math.max(1, observedMsOf(readings))
  // A loop that waits for a processor is full as well: what it does with the time that it gets is what there is to change in the code.
  return share >= ofTime || (utilizationOf(readings) >= full && spot.share * spot.ownMs / spot.ms >= ofBusy)
}

/**
 * @param {HotSpot} spot
 * @param {Readings} readings
 */
function isStalling ({ stalls: { count, ms, longestMs } }, readings) {
  const isRepeated = count >= MIN_STALLS || longestMs >= readings.thresholdMs * LONG_STALL
  return isRepeated && ms >= observedMsOf(readings) * MIN_STALLED_SHARE
}

/**
 * The loop is stuck, and this is where.
 * @param {HotSpot} spot
 * @param {Readings} readings
 */
function isHoldingNow (spot, { blockedMs, thresholdMs, activity }) {
  return blockedMs >= thresholdMs * LONG_STALL && spot.ms >= blockedMs / 2 && spot === activity?.hotSpots[0]
}

/**
 * It fills the loop because the loop waits for a processor: that is to be mended first.
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {number} lostMs
 */
function isCrowded (spot, readings, lostMs) {
  return ranShare(readings) < 1 && !isStalling(spot, readings) && !isHoldingNow(spot, readings) && lostMs < observedMsOf(readings) * CRITICAL_SHARE
}

/** @typedef {Pick<Finding, 'why' | 'instead'> & { work: string, evidence?: Finding['evidence'] }} Details  work: what the time is spent in, after "in" */

/**
 * @param {Finding['id']} id
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {Details} details
 */
function hotSpotFinding (id, spot, readings, details) {
  const { work, why, instead, evidence = {} } = inDevelopment(spot, converting(spot, details))
  const { ms, share, samples, sinceMs, stalls } = spot
  const lostMs = Math.max(ms * ranShare(readings), stalls.ms)
  const inFlight = inFlightOf(readings)
  return makeFinding(readings, {
    id,
    title: titleOf(spot, work),
    ...(isCrowded(spot, readings, lostMs) && { severity: /** @type {const} */ ('info') }),
    lostMs,
    since: Math.round(sinceMs),
    what: whatOf(spot, readings, lostMs, inFlight),
    where: placeOf(spot),
    why,
    instead,
    evidence: {
      busyShare: rounded(share, 3), ms: rounded(ms), samples, stalls: stalls.count, stalledMs: stalls.ms, longestStallMs: stalls.longestMs, requestsInFlight: inFlight && rounded(inFlight), ...evidence
    },
    confidence: samples >= MIN_SAMPLES * 5 || stalls.count >= MIN_STALLS ? 'high' : 'medium',
    next: [`npx loopscope profile ${readings.pid}`, `npx loopscope stalls ${readings.pid}`]
  })
}

/**
 * JSON.stringify() and texts call a function of each object: where that took the time, it is what there is to change.
 * @param {HotSpot} spot
 * @param {Details} details
 * @returns {Details}
 */
function converting ({ converter, culprit }, details) {
  if (converter === null) return details
  const { function: name, package: owner } = converter
  const whose = owner === null ? placed(converter) : `${name} of the package ${owner}`
  return {
    ...details,
    work: dependencyOf(culprit) === owner && (culprit.via ?? culprit).function === name ? details.work : `${details.work}, most of it in ${whose}`,
    why: `${name}() runs for each object that is turned into text, and everything else waits until all of them are done`,
    instead: owner === 'mongoose'
      ? 'ask for plain objects with `.lean()` where documents are only sent, and select() the fields that are needed'
      : `turn plain objects with only the fields that are needed into text, or make ${name}() cheaper: keep what it works out`,
    evidence: { ...details.evidence, converter: owner === null ? name : `${owner} ${name}` }
  }
}

/**
 * @param {HotSpot} spot
 * @param {Details} details
 * @returns {Details}
 */
function inDevelopment ({ development }, details) {
  if (development === null) return details
  return {
    ...details,
    why: `the development build of ${development} runs, which checks everything it does and is several times slower; ${details.why}`,
    instead: `start the process with NODE_ENV=production, which selects the production build of ${development}; if that is not enough: ${details.instead}`,
    evidence: { ...details.evidence, development }
  }
}

/**
 * A share reported for a route is the share of that route.
 * @param {HotSpot} spot
 * @param {string} work
 */
function titleOf (spot, work) {
  const only = onlyRoute(spot)
  if (only !== null) return `${only.route} spends ${percent(only.share)} of the loop's busy time in ${work}.`
  const routes = spot.routes.filter(({ share }) => share >= MIN_ROUTE_SHARE)
  const isKnown = routes.some(({ route }) => route !== null)
  const listed = routes.slice(0, MAX_ROUTES).map(({ route, share }) => `${route ?? 'no request, or not known'} ${percent(share)}`)
  const rest = routes.slice(MAX_ROUTES)
  if (rest.length > 0) listed.push(`${times(rest.length, 'other')} ${percent(rest.reduce((sum, { share }) => sum + share, 0))}`)
  return `The process spends ${percent(spot.share)} of the loop's busy time in ${work}${isKnown ? `: ${listed.join(', ')}` : ''}.`
}

/**
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {number} lostMs
 * @param {number | null} inFlight
 */
function whatOf ({ stalls, route }, readings, lostMs, inFlight) {
  const observed = duration(observedMsOf(readings))
  const held = `It held the loop for ${duration(lostMs)} of the last ${observed}`
  const stalled = stalls.count === 0 ? 'without a single stall' : `in ${times(stalls.count, 'stall')} of up to ${duration(stalls.longestMs)}`
  const waited = inFlight !== null && inFlight >= 1.5 ? ` About ${Math.round(inFlight)} requests were waiting meanwhile: ${duration(lostMs * inFlight)} of their time.` : ''
  const now = readings.blockedMs >= readings.thresholdMs ? ` The loop is blocked at this moment, for ${duration(readings.blockedMs)}.` : ''
  const behind = longestBehind(readings, route)
  const longest = behind === null ? '' : ` ${behind.route} waited up to ${duration(behind.ms)} behind it.`
  return `${held}, ${stalled}.${describeLines(stalls)}${waited}${longest}${now}`
}

/**
 * Where no single line has most of it: that one of `where` is only the first.
 * @param {HotSpot['stalls']} stalls
 */
function describeLines ({ ms, lines }) {
  if (lines.length < 2 || lines[0].ms > ms * MOST) return ''
  return ` Its lines: ${lines.slice(0, MAX_LINES).map(one => `${one.line} ${duration(one.ms)}`).join(', ')}.`
}

/**
 * @param {HotSpot} spot
 * @returns {NonNullable<Finding['where']>}
 */
function placeOf ({ culprit: { function: name, file, line, column, via }, route }) {
  return { function: name, file, line, column, via, route }
}

/**
 * `called at auth.js:23`, or where in a function of its own.
 * @param {HotSpot} spot
 */
function calledAt ({ culprit }) {
  // Where the application has no function on the stack the culprit is the package's own.
  if (culprit.via === null || isInPackage(culprit.file)) return `${through(culprit)}, called in ${placed(culprit)}`
  return ` by ${culprit.via.package}'s ${culprit.via.function}${through(culprit)}, called in ${placed(culprit)}`
}

/**
 * The dependency of a dependency.
 * @param {HotSpot['culprit']} culprit
 */
function through ({ via }) {
  return via?.through ? `, through ${via.through.package} ${via.through.function}` : ''
}

/**
 * The whole name of a synchronous API, as people write it, from the function at the bottom of a stack: `pbkdf2Sync` is `crypto.pbkdf2Sync`.
 * @param {string | null} call
 * @returns {string | null} null where it is none
 */
function apiOf (call) {
  if (call === null) return null
  if (WITHOUT_MODULE.has(call)) return call
  const name = /** @type {string} */ (call.split('.').at(-1))
  if (!name.endsWith('Sync') && !SYNCHRONOUS.has(name)) return null
  const [module] = Object.entries(MODULES).find(([, exported]) => Object.hasOwn(exported, name)) ?? []
  return module === undefined ? null : `${module}.${name}`
}

module.exports = { apiOf, calledAt, isWorth, jsonOn, kindOf, placeOf, hotSpotFinding, through }
