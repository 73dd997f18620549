'use strict'

// What the detectors of hot spots share: which kind of work a hot spot is, whether it is worth a finding, and the sentences with its figures.
// Pure.

const { sum } = require('../../../base/sums')
const { dependencyOf, isInPackage, showEntrance } = require('../../../formats/profile/frame')
const { isPassedWork, READS_CLOCK } = require('../../stalls/culprit/call-in-source')
const { CRITICAL_SHARE, makeFinding, MIN_SAMPLES } = require('../finding')
const { inFlightOf, longestBehind, mayHaveWaited, observedMsOf, onlyRoute, ranShare, utilizationOf } = require('../../../shared/findings/readings')
const { duration, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Readings, HotSpot } from '../../../shared/findings/readings' */

const JSON_CALLS = new Set(['JSON.parse', 'JSON.stringify', 'parse', 'stringify'])
// Half of a hot spot: then replacing the call fixes the hot spot.
const MIN_SYNC_SHARE = 0.5
// If the tasks do next to nothing, the queue has a fifth to nine tenths of the time; if they work for milliseconds, a hundredth.
const MIN_QUEUE_SHARE = 0.1

// One short stall in a minute can be a garbage collection, a first call that is compiled, a busy machine. Two are a finding, or one that is five
// times as long as the threshold.
const MIN_STALLS = 2
const LONG_STALL = 5
// And the loss must be noticeable: one request in a hundred arrives in this share of the time.
const MIN_STALLED_SHARE = 0.01
// Share of the busy time from which a route is listed.
const MIN_ROUTE_SHARE = 0.01
const MAX_ROUTES = 4
const MOST = 0.6
// A call with so much of a hot spot's time is the hot spot.
const NEARLY_ALL = 0.85
const MAX_LINES = 5

const MODULES = /** @type {const} */ (['fs', 'crypto', 'zlib', 'child_process'])
// Synchronous, although their names do not end with Sync.
const SYNCHRONOUS = new Set(['randomBytes', 'randomInt', 'sign', 'verify', 'hash', 'diffieHellman', 'createDiffieHellman'])
// What goes through all the elements of something, where reading the clock is the smaller part.
const GOES_THROUGH = /\bObject\.(keys|values|entries|fromEntries)\(|\.(filter|map|flatMap|forEach|reduce|some|every|find|findIndex|sort|toSorted)\(|\bJSON\./
const WITHOUT_MODULE = new Set(['Atomics.wait', 'zlib.*Sync'])

/**
 * The kind of work of a hot spot, by what was called there.
 * @param {HotSpot} spot
 * @returns {Finding['id'] | 'start-up'}
 */
function kindOf (spot) {
  const { culprit, text, sync, ms, queueMs, isLogging, isStartUp, origin } = spot
  if (isStartUp || culprit.call === 'require' || culprit.call === 'import' || (sync?.api === 'require' && sync.share >= MIN_SYNC_SHARE)) return 'start-up'
  // It ran again and again with little to do each time. A function with much to do is the reason itself, even if its line awaits something.
  if (queueMs >= (ms + queueMs) * MIN_QUEUE_SHARE) return 'task-flood'
  if (isLogging) return 'hot-logging'
  if (isWaiting(spot)) return 'hot-clock'
  if (JSON_CALLS.has(culprit.call ?? '') || jsonOn(spot) !== null) return 'hot-json'
  if (apiOf(culprit.call) !== null || (sync?.share ?? 0) >= MIN_SYNC_SHARE) return 'hot-sync-call'
  if (culprit.via !== null || origin === 'dependency') return 'hot-dependency'
  // V8 has no frame for reading the time: only the source line shows it.
  if (culprit.call === null && READS_CLOCK.test(text) && !GOES_THROUGH.test(text)) return 'hot-clock'
  return 'hot-function'
}

/** Whether it waits for the clock. Without a stall it is more likely a loop that works until its time slice ends, to let other work run. @param {HotSpot} spot */
function isWaiting ({ waitLoop, stalls }) {
  return waitLoop !== null && stalls.count > 0
}

/**
 * JSON.parse or JSON.stringify on the source line, if no other call on it is known: V8 has no frame for them, and interrupts them late.
 * @param {HotSpot} spot
 * @returns {string | null}
 */
function jsonOn ({ culprit, text, ownText = text, isOwn, converter }) {
  if (!isOwn && converter === null) return null
  const isCallThere = culprit.call !== null && text.includes(`${culprit.call.split('.').at(-1)}(`)
  const found = !isCallThere && culprit.via === null ? /\bJSON\.(parse|stringify)(?= *\()/.exec(ownText) : null
  return found === null || isPassedWork(ownText.slice(found.index + found[0].length)) ? null : found[0]
}

/**
 * Whether a hot spot is worth a finding.
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {object} enough    the thresholds without stalls
 * @param {number} enough.ofTime  share of the observed time from which it is reported
 * @param {number} [enough.ofBusy]  share of the busy time from which it is reported when the loop is nearly full
 * @param {number} [enough.full]  what counts as nearly full
 */
function isWorth (spot, readings, { ofTime, ofBusy = 1, full = 0.7 }) {
  if (isStalling(spot, readings) || isHoldingNow(spot, readings)) return true
  if (spot.samples < MIN_SAMPLES || mayHaveWaited(readings)) return false
  const share = ranShare(readings) * spot.ownMs / Math.max(1, observedMsOf(readings))
  // A loop that waits for a CPU is full as well. What it does with the time that it gets can be changed in the code.
  return share >= ofTime || (utilizationOf(readings) >= full && spot.share * spot.ownMs / spot.ms >= ofBusy)
}

/** @param {HotSpot} spot @param {Readings} readings */
function isStalling ({ stalls: { count, ms, longestMs } }, readings) {
  const isRepeated = count >= MIN_STALLS || longestMs >= readings.thresholdMs * LONG_STALL
  return isRepeated && ms >= observedMsOf(readings) * MIN_STALLED_SHARE
}

/**
 * Whether the loop is blocked right now by this hot spot.
 * @param {HotSpot} spot
 * @param {Readings} readings
 */
function isHoldingNow (spot, { blockedMs, thresholdMs, activity }) {
  return blockedMs >= thresholdMs * LONG_STALL && spot.ms >= blockedMs / 2 && spot === activity?.hotSpots[0]
}

/**
 * Whether it fills the loop only because the loop waits for a CPU: that has to be fixed first.
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {number} lostMs
 */
function isCrowded (spot, readings, lostMs) {
  return ranShare(readings) < 1 && !isStalling(spot, readings) && !isHoldingNow(spot, readings) && lostMs < observedMsOf(readings) * CRITICAL_SHARE
}

/**
 * @typedef {Pick<Finding, 'why' | 'instead'> & { work: string, part?: number, evidence?: Finding['evidence'] }} Details  work: the text after "spends … in";
 *   part: how much of the time of the hot spot that is, 0 to 1
 */

/**
 * @param {Finding['id']} id
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @param {Details} details
 */
function hotSpotFinding (id, spot, readings, details) {
  const { work, part: known = 1, why, instead, evidence = {} } = inDevelopment(spot, compiling(spot, converting(spot, details)))
  const { ms, share, samples, sinceMs, stalls } = spot
  const part = known < NEARLY_ALL ? known : 1
  const lostMs = Math.max(ms * ranShare(readings), stalls.ms)
  const inFlight = inFlightOf(readings)
  return makeFinding(readings, {
    id,
    title: titleOf(spot, work, part),
    ...(isCrowded(spot, readings, lostMs) && { severity: /** @type {const} */ ('info') }),
    lostMs,
    since: Math.round(sinceMs),
    what: sentences(part < 1 && `${spot.culprit.function} as a whole has ${percent(share)} of it.`, whatOf(spot, readings, lostMs, inFlight)),
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
 * Packages that make an object with methods, getters and a copy of its values for each record of a database, with what makes them return plain
 * objects.
 * @type {Readonly<Record<string, string>>}
 */
const MAPPERS = Object.freeze({ mongoose: '`.lean()`', sequelize: '`raw: true`', typeorm: '`getRawMany()`' })

/** @param {string} name  of one of these packages */
function plainObjectsOf (name) {
  return `use ${MAPPERS[name]} to get plain objects where records are only read or sent; select only the fields that you need, and read fewer records at a time`
}

/**
 * JSON.stringify() and string conversion call toJSON() or toString() of each object: if that took the time, it is what to change.
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
    why: `${name}() runs once for each object that is converted to text, and everything else waits until all are done`,
    instead: owner !== null && Object.hasOwn(MAPPERS, owner)
      ? plainObjectsOf(owner)
      : `convert plain objects with only the fields that you need, or make ${name}() cheaper: cache its result`,
    evidence: { ...details.evidence, converter: owner === null ? name : `${owner} ${name}` }
  }
}

/**
 * To compile a template or schema takes a hundred times as long as to use it, or more.
 * @param {HotSpot} spot
 * @param {Details} details
 * @returns {Details}
 */
function compiling ({ compiling, culprit }, details) {
  if (compiling === null) return details
  const views = /^express/.test(culprit.via?.package ?? '') ? '; NODE_ENV=production makes Express keep its views' : ''
  return {
    ...details,
    why: `${compiling} compiles templates or schemas on the event loop, which takes far longer than to use what it made of them`,
    instead: `compile each template or schema once, at start-up or on its first use, and keep the result${views}`,
    evidence: { ...details.evidence, compiling }
  }
}

/** @param {HotSpot} spot @param {Details} details @returns {Details} */
function inDevelopment ({ development }, details) {
  if (development === null) return details
  return {
    ...details,
    why: `the development build of ${development} is in use; its checks make it several times slower; ${details.why}`,
    instead: `start the process with NODE_ENV=production, which selects the production build of ${development}; if that is not enough: ${details.instead}`,
    evidence: { ...details.evidence, development }
  }
}

/**
 * A share reported for a route is the share of that route.
 * @param {HotSpot} spot
 * @param {string} work
 * @param {number} part  of the time of the hot spot
 */
function titleOf (spot, work, part) {
  const only = onlyRoute(spot)
  if (only !== null) return `${only.route} spends ${percent(only.share * part)} of the loop's busy time in ${work}.`
  const routes = spot.routes.filter(({ share }) => share >= MIN_ROUTE_SHARE)
  const isKnown = routes.some(({ route }) => route !== null)
  const listed = routes.slice(0, MAX_ROUTES).map(({ route, share }) => `${route ?? 'no request or unknown'} ${percent(share * part)}`)
  const rest = routes.slice(MAX_ROUTES)
  if (rest.length > 0) listed.push(`${times(rest.length, 'other')} ${percent(sum(rest, ({ share }) => share) * part)}`)
  return `The process spends ${percent(spot.share * part)} of the loop's busy time in ${work}${isKnown ? `: ${listed.join(', ')}` : ''}.`
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
  const stalled = stalls.count === 0 ? 'without a stall' : `in ${times(stalls.count, 'stall')} of up to ${duration(stalls.longestMs)}`
  const behind = longestBehind(readings, route)
  return sentences(
    `${held}, ${stalled}.`,
    describeLines(stalls),
    inFlight !== null && inFlight >= 1.5 && `Meanwhile ${rounded(inFlight)} requests were under way on average; together they waited ${duration(lostMs * inFlight)}.`,
    behind && `${behind.route} waited up to ${duration(behind.ms)} behind it.`,
    readings.blockedMs >= readings.thresholdMs && `The loop is blocked right now, for ${duration(readings.blockedMs)} so far.`
  )
}

/**
 * The lines with the most time, if no single line has most of it: `where` has only the first.
 * @param {HotSpot['stalls']} stalls
 */
function describeLines ({ ms, lines }) {
  if (lines.length < 2 || lines[0].ms > ms * MOST) return ''
  return `By line: ${lines.slice(0, MAX_LINES).map(one => `${one.line} (${duration(one.ms)})`).join(', ')}.`
}

/** @param {HotSpot} spot @returns {NonNullable<Finding['where']>} */
function placeOf ({ culprit: { function: name, file, line, column, via }, route }) {
  return { function: name, file, line, column, via, route }
}

/**
 * A category of time has the line of the call in the function that it was spent for; the hot spot of that function has the route and the package as well.
 * @param {readonly HotSpot[]} hotSpots
 * @param {{ file: string, line: number } | null} where
 */
function hotSpotAt (hotSpots, where) {
  return hotSpots.find(({ culprit: { file, line } }) => file === where?.file && line === where.line)
}

/** ` by the package's function, called in login (auth.js:23)`, or `, called in …`. @param {HotSpot} spot */
function calledAt ({ culprit }) {
  // If no function of the application is on the stack, the culprit is the package's function.
  if (culprit.via === null || isInPackage(culprit.file)) return `${through(culprit)}, called in ${placed(culprit)}`
  return ` by ${entranceOf(culprit.via)}${through(culprit)}, called in ${placed(culprit)}`
}

/** The package that was called, and its function if that has a name. @param {NonNullable<HotSpot['culprit']['via']>} via */
function entranceOf (via) {
  return showEntrance(via, "'s ")
}

/** The dependency of a dependency, if the work was done there. @param {HotSpot['culprit']} culprit */
function through ({ via }) {
  return via?.through ? `, through ${showEntrance(via.through)}` : ''
}

/**
 * The full name of a synchronous API, from the function at the bottom of a stack: `pbkdf2Sync` is `crypto.pbkdf2Sync`.
 * @param {string | null} call
 * @returns {string | null} null if it is none
 */
function apiOf (call) {
  if (call === null) return null
  if (WITHOUT_MODULE.has(call)) return call
  const name = /** @type {string} */ (call.split('.').at(-1))
  if (!name.endsWith('Sync') && !SYNCHRONOUS.has(name)) return null
  const module = MODULES.find(module => Object.hasOwn(process.getBuiltinModule(module), name))
  return module === undefined ? null : `${module}.${name}`
}

module.exports = { apiOf, calledAt, entranceOf, hotSpotAt, isWorth, jsonOn, kindOf, MAPPERS, placeOf, plainObjectsOf, hotSpotFinding, isWaiting, through }
