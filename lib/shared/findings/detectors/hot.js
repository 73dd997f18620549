'use strict'

// Findings about code that holds the loop: each takes the hot spots of its kind, and is one object. A hot spot is of one kind only, so none is
// reported twice. Log lines are written all over an application: their time is added up.

const { dependencyOf, isInPackage } = require('../../formats/profile/frame')
const { adviceOf } = require('../../sync-calls/advice')
const { makeFinding, MIN_SAMPLES } = require('../finding')
const { hasSmallWrites, manyWrites, observedMsOf, utilizationOf } = require('../readings')
const { duration, percent, placed, rounded } = require('../format-text')
const { apiOf, calledAt, isWorth, jsonOn, kindOf, hotSpotFinding, through } = require('./hot-spot')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings, HotSpot } from '../readings' */

/**
 * @typedef {object} HotDetector
 * @property {Finding['id']} id
 * @property {(hotSpots: HotSpot[], readings: Readings) => HotSpot[]} [join]  of its kind, those that are one loss
 * @property {(spot: HotSpot, readings: Readings) => Finding | null} detect  null: too little to report
 */

/** Without stalls, from which part of the time on each is a finding. */
const ENOUGH = Object.freeze({
  // A twentieth: requests feel it, and it could be nothing at all. The detector of synchronous calls flags the same.
  syncCall: { ofTime: 0.05 },
  // Every API spends a tenth or two of its time on JSON, and that is its work.
  json: { ofTime: 0.4, ofBusy: 0.35 },
  // A line with it may do other things as well: only where it is plainly the place.
  clock: { ofTime: 0.25, ofBusy: 0.25 },
  // Frameworks and drivers are what an application runs on, and have their share of every busy loop.
  dependency: { ofTime: 0.4, ofBusy: 0.4 },
  // The heaviest function of a healthy service has some tenth of its time.
  function: { ofTime: 0.4, ofBusy: 0.35 }
})
const MAX_PLACES = 3

/**
 * @param {HotDetector} detector
 * @returns {Detector}
 */
function toDetector ({ id, detect, join = hotSpots => hotSpots }) {
  return {
    ids: [id],
    // The loop is full of it, and requests wait for it: there is one thing to change.
    explains: ['many-short-turns', 'slow-elsewhere'],
    find (readings) {
      const isSmall = hasSmallWrites(readings)
      const isMany = manyWrites(readings) !== null
      // Many small writes are a finding of their own (detectors/socket-calls.js); one for each answer is what answering costs.
      const isPlainWriting = (/** @type {HotSpot} */ { isWriting, stalls }) => isWriting && (isMany || (isSmall && stalls.count === 0))
      const hotSpots = (readings.activity?.hotSpots ?? []).filter(spot => kindOf(spot) === id && !isPlainWriting(spot))
      return join(hotSpots, readings).flatMap(spot => detect(spot, readings) ?? [])
    }
  }
}

/**
 * A synchronous call of Node's on the way of requests: the one fault with a ready remedy, since nearly all have an asynchronous twin.
 * @type {HotDetector}
 */
const syncCall = {
  id: 'hot-sync-call',
  detect (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH.syncCall)) return null
    const api = apiOf(spot.culprit.call) ?? spot.sync?.api ?? String(spot.culprit.call)
    const { why, instead, link } = adviceOf(api)
    const finding = hotSpotFinding('hot-sync-call', spot, readings, { work: `${api}${calledAt(spot)}`, why, instead, evidence: { api, documentation: link } })
    return { ...finding, next: [`npx loopscope sync ${readings.pid}`] }
  }
}

/**
 * JSON.parse() and JSON.stringify() of much at once.
 * @type {HotDetector}
 */
const json = {
  id: 'hot-json',
  detect (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH.json)) return null
    const name = jsonOn(spot) ?? spot.culprit.call ?? ''
    const api = name.startsWith('JSON.') ? name : `JSON.${name}`
    const { why, instead } = adviceOf(api)
    return hotSpotFinding('hot-json', spot, readings, { work: `${api}${calledAt(spot)}`, why, instead, evidence: { api } })
  }
}

// The loop is over when the clock says so: a faster clock would change nothing.
const CLOCK = String.raw`(?:Date\.now|new Date|performance\.now|process\.hrtime(?:\.bigint)?) *\(`
const WAITS_FOR_CLOCK = new RegExp(String.raw`\bwhile *\([^;{]*${CLOCK}|\bfor *\([^;]*;[^;]*${CLOCK}[^;]*;|\bif *\([^;{]*${CLOCK}[^;{]*\)\s*\{?\s*(?:break|return)\b`)
const WAITING = Object.freeze({
  why: 'a loop that looks at the clock until some time has passed does nothing meanwhile, and keeps everything else from running',
  instead: 'wait with a timer: setTimeout, or `await setTimeout(ms)` of node:timers/promises'
})

/**
 * Reading the time of day in a hot path. V8 has no frame for it: it is known by what is written on the line.
 * @type {HotDetector}
 */
const clock = {
  id: 'hot-clock',
  detect (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH.clock)) return null
    // Without a stall it is rather a loop that works until its time is up, so as to let others have theirs.
    const isWaiting = spot.stalls.count > 0 && WAITS_FOR_CLOCK.test(spot.text) && /[<>]/.test(spot.text)
    const { why, instead } = isWaiting ? WAITING : adviceOf('Date.now')
    const work = `${isWaiting ? 'a loop that waits for the clock' : 'a line that reads the clock'}: ${placed(spot.culprit)}`
    const finding = hotSpotFinding('hot-clock', spot, readings, { work, why, instead })
    return { ...finding, confidence: 'medium' }
  }
}

/**
 * A dependency's own JavaScript, and the function of the application that went there.
 * @type {HotDetector}
 */
const dependency = {
  id: 'hot-dependency',

  // Several functions of the application may go to one package, none of them with enough to be said alone.
  join (hotSpots, readings) {
    const packages = [...new Set(hotSpots.map(packageName))]
    return packages.flatMap(name => {
      const group = hotSpots.filter(spot => packageName(spot) === name)
      return group.length === 1 || group.some(spot => isWorth(spot, readings, ENOUGH.dependency)) ? group : [joined(group)]
    })
  },

  detect (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH.dependency)) return null
    const name = packageName(spot)
    const expression = isExpression(spot.culprit.call, '') ? builtinOf({ ...spot, text: '' }) : null
    return hotSpotFinding('hot-dependency', spot, readings, {
      work: `${expression === null ? '' : `${expression.name} in `}the package ${name}${enteredBy(spot)}`,
      why: expression?.why ?? `${name} computes on the event loop, and everything else waits until it is done`,
      instead: expression === null
        ? `call it less often or with less (a cache, a limit, pages), take an asynchronous or native variant of ${name} where there is one, or move the call into worker_threads`
        : `limit the length of what is passed to ${name} and check its form before, give it a fixed format where it takes one, or update it: the expression is ${name}'s own`,
      evidence: { package: name, ...(spot.culprit.via?.through && { through: spot.culprit.via.through.package }) }
    })
  }
}

/** @param {HotSpot} spot */
function enteredBy ({ culprit, places = [placed(culprit)] }) {
  const { via } = culprit
  if (via === null || isInPackage(culprit.file)) return through(culprit)
  const entrance = places.length === 1 ? `'s ${via.function}` : ''
  return `${entrance}${through(culprit)}, called in ${places.slice(0, MAX_PLACES).join(', ')}`
}

/**
 * @param {HotSpot[]} hotSpots  of one package, heaviest first
 * @returns {HotSpot}
 */
function joined (hotSpots) {
  const [heaviest] = hotSpots
  const sum = (/** @type {(spot: HotSpot) => number} */ of) => hotSpots.reduce((all, spot) => all + of(spot), 0)
  return {
    ...heaviest,
    ms: sum(({ ms }) => ms),
    ownMs: sum(({ ownMs }) => ownMs),
    share: sum(({ share }) => share),
    samples: sum(({ samples }) => samples),
    sinceMs: Math.min(...hotSpots.map(({ sinceMs }) => sinceMs)),
    route: hotSpots.every(({ route }) => route === heaviest.route) ? heaviest.route : null,
    stalls: {
      count: sum(({ stalls }) => stalls.count),
      ms: sum(({ stalls }) => stalls.ms),
      longestMs: Math.max(...hotSpots.map(({ stalls }) => stalls.longestMs)),
      lines: []
    },
    places: hotSpots.map(({ culprit }) => placed(culprit))
  }
}

/** @param {HotSpot} spot */
function packageName ({ culprit }) {
  return dependencyOf(culprit) ?? culprit.file
}

/**
 * The application's own JavaScript.
 * @type {HotDetector}
 */
const ownFunction = {
  id: 'hot-function',
  detect (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH.function)) return null
    const { why, instead, name } = builtinOf(spot)
    const work = name === null ? placed(spot.culprit) : `${name}, called in ${placed(spot.culprit)}`
    return hotSpotFinding('hot-function', spot, readings, { work, why, instead })
  }
}

/**
 * A builtin that takes long: why, what to write instead, and what it is called where its name alone says too little.
 * @typedef {{ why: string, instead: string, name: string | null }} Builtin
 */

const EXPRESSION = Object.freeze({
  why: 'a regular expression that can match in many ways tries all of them: the time may double with each character of the input',
  instead: 'write it without nested or overlapping repetitions, limit the length of the input, or use an engine without backtracking (re2)'
})
const ALWAYS_EXPRESSION = /^RegExp\.|(^|\.)(match|matchAll|search|test|exec)$/
// With an expression or with a plain string.
const REPLACE = /(^|\.)(replace|replaceAll)$/
const SPLIT = /(^|\.)split$/
const WITH_STRING = /\.replace(All)?\(\s*(['"`])/
const WITH_LITERAL = /\.split\(\s*\/[^/*]/

/** @type {[RegExp, Omit<Builtin, 'name'> & { name?: string }][]} */
const OTHERS = [
  [/sort$|toSorted$/i, {
    why: 'sorting takes the more time the more there is, and calls the comparator for each pair',
    instead: 'keep it sorted, let the database sort, sort only the page that is shown, and compute keys once'
  }],
  [/structuredClone$/, {
    why: 'it copies everything that can be reached from the value, on the event loop',
    instead: 'copy only what changes, or share it and freeze it'
  }],
  [/^(update|digest)$/, { ...adviceOf('crypto.createHash().update'), name: 'hashing (crypto)' }],
  [/^end$/, {
    why: 'what is written is turned into bytes and handed to the system on the event loop, a long string all at once',
    instead: 'send less of it (pages, fields) or in pieces (stream.pipeline), keep as a Buffer what does not change, and put small writes together',
    name: 'end() of a response or stream'
  }]
]
/** @type {Builtin} */
const ANY = Object.freeze({
  why: 'JavaScript runs on the event loop, and everything else waits until it is done',
  instead: 'do less of it (a cache, a limit, pages, a better algorithm), do it in pieces with setImmediate between them, or in worker_threads',
  name: null
})

/**
 * @param {HotSpot} spot
 * @returns {Builtin}
 */
function builtinOf ({ culprit: { call }, text }) {
  if (call === null) return ANY
  if (isExpression(call, text)) return { ...EXPRESSION, name: `${call} (regular expression)` }
  return { ...ANY, name: call, ...OTHERS.find(([name]) => name.test(call))?.[1] }
}

/**
 * @param {string | null} call
 * @param {string} text  of the line
 */
function isExpression (call, text) {
  if (call === null) return false
  return ALWAYS_EXPRESSION.test(call) || (REPLACE.test(call) && !WITH_STRING.test(text)) || (SPLIT.test(call) && WITH_LITERAL.test(text))
}

const LOGGING = Object.freeze({
  // A service that logs each request spends some percent on it.
  minTimeShare: 0.15,
  minBusyShare: 0.25,
  full: 0.7,
  sampleMs: 10
})

/**
 * Log lines: the console writes them synchronously to files and terminals, and every logger puts them together on the loop. They are
 * written all over an application, so their time is added up.
 * @type {Detector}
 */
const logging = {
  ids: ['hot-logging'],
  explains: ['many-short-turns', 'slow-elsewhere'],
  find (readings) {
    const { activity } = readings
    if (activity === null) return []
    const { categories: { logging: { ms, where } }, hotSpots, busyMs } = activity
    const share = busyMs === 0 ? 0 : ms / busyMs
    const stalls = hotSpots.filter(spot => kindOf(spot) === 'hot-logging').reduce((sum, spot) => sum + spot.stalls.count, 0)
    if (ms < MIN_SAMPLES * LOGGING.sampleMs || !isMuch(ms, share, readings)) return []
    return [makeFinding(readings, {
      id: 'hot-logging',
      title: `The process spends ${percent(share)} of the loop's busy time in writing logs${where === null ? '' : `, most of it for ${placed(where)}`}.`,
      lostMs: ms,
      what: `Log lines held the loop for ${duration(ms)} of the last ${duration(observedMsOf(readings))}.`,
      where: where && { ...where, via: null, route: null },
      why: 'the console writes to files and terminals synchronously, and every line is put together on the event loop',
      instead: 'log less (a level, a sample), and write with a logger that writes in another thread or in large pieces, such as pino with sync: false',
      evidence: { busyShare: rounded(share, 3), ms: rounded(ms), stalls },
      next: [`npx loopscope profile ${readings.pid}`]
    })]
  }
}

/**
 * @param {number} ms
 * @param {number} share  of the busy time
 * @param {Readings} readings
 */
function isMuch (ms, share, readings) {
  return ms >= observedMsOf(readings) * LOGGING.minTimeShare || (share >= LOGGING.minBusyShare && utilizationOf(readings) >= LOGGING.full)
}

/** @type {readonly Detector[]} */
const HOT_DETECTORS = Object.freeze([logging, ...[syncCall, json, clock, dependency, ownFunction].map(toDetector)])

module.exports = { HOT_DETECTORS }
