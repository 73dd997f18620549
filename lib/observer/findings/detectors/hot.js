'use strict'

// Detectors of code that holds the loop, each for the hot spots of one kind. A hot spot has one kind only, so none is reported twice.

const { groupBy, sum, sumBy } = require('../../../base/sums')
const { DISPATCHERS } = require('../../../formats/profile/called-package')
const { dependencyOf, isInPackage, packageOf } = require('../../../formats/profile/frame')
const { publicModuleOf } = require('../../../formats/profile/node-api')
const { adviceOf } = require('../../../shared/sync-calls/advice')
const { MIN_SAMPLES } = require('../finding')
const { hasSmallWrites, manyWrites, mayHaveWaited, observedMsOf, ranShare } = require('../../../shared/findings/readings')
const { placed } = require('../../../shared/findings/format-text')
const { linesOf, placeOf } = require('../waiting')
const { builtinOf, CLONES, COPY, EXPRESSION, fasterThan, isExpression, SMALL_CHUNKS } = require('./builtins')
const { apiOf, calledAt, entranceOf, isWaiting, isWorth, jsonOn, kindOf, hotSpotFinding, MAPPERS, plainObjectsOf, through } = require('./hot-spot')
const { describeLogging, logging, loggingOf } = require('./logging')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings, HotSpot } from '../../../shared/findings/readings' */
/** @import { RouteLine } from '../waiting' */
/** @import { Builtin } from './builtins' */

/**
 * @typedef {object} HotDetector
 * @property {Finding['id']} id
 * @property {Parameters<typeof isWorth>[2]} enough  from which it is a finding, without stalls
 * @property {(hotSpots: HotSpot[], readings: Readings) => HotSpot[]} [join]  merges hot spots of its kind that are one problem
 * @property {(spot: HotSpot, readings: Readings) => Finding} describe
 */

/** The share of the time from which each is a finding, without stalls. */
const ENOUGH = Object.freeze({
  // Requests feel a twentieth, and it is avoidable. The detector of synchronous calls flags the same share.
  syncCall: { ofTime: 0.05 },
  // Every API spends a tenth or two of its time on JSON: that is its work.
  json: { ofTime: 0.4, ofBusy: 0.35 },
  // The line may do other things as well: reported only if it has much of the time.
  clock: { ofTime: 0.25, ofBusy: 0.25 },
  // Frameworks and drivers have their share of every busy loop.
  dependency: { ofTime: 0.4, ofBusy: 0.4 },
  // The heaviest function of a healthy service has some tenth of its time.
  function: { ofTime: 0.4, ofBusy: 0.35 }
})
const MAX_PLACES = 3
// Shares of the work from which it is named although nothing is wrong, and from which what to change is said as well.
const NOTABLE = Object.freeze({ ofBusy: 1 / 3, most: 0.5, ofTime: 0.1 })

/** @param {HotDetector} kind @returns {Detector} */
function toDetector (kind) {
  const { id, enough, describe } = kind
  return {
    ids: [id],
    // If the loop is full of it and requests wait for it, it is the one thing to change.
    explains: ['many-short-turns', 'slow-elsewhere'],
    find (readings) {
      return hotSpotsOf(readings, kind).filter(spot => isWorth(spot, readings, enough)).map(spot => describe(spot, readings))
    }
  }
}

/** @param {Readings} readings @param {HotDetector} kind */
function hotSpotsOf (readings, { id, join = hotSpots => hotSpots }) {
  const isSmall = hasSmallWrites(readings)
  const isMany = manyWrites(readings) !== null
  // Many small writes are a finding of their own (socket-calls.js); one write per response is normal.
  const isPlainWriting = (/** @type {HotSpot} */ { isWriting, stalls }) => isWriting && (isMany || (isSmall && stalls.count === 0))
  return join((readings.activity?.hotSpots ?? []).filter(spot => kindOf(spot) === id && !isPlainWriting(spot)), readings)
}

/**
 * A synchronous call of Node.js while requests wait. Nearly all of them have an asynchronous version.
 * @type {HotDetector}
 */
const syncCall = {
  id: 'hot-sync-call',
  enough: ENOUGH.syncCall,
  describe (spot, readings) {
    const api = apiOf(spot.culprit.call) ?? spot.sync?.api ?? String(spot.culprit.call)
    const { why, instead, link } = adviceOf(api)
    const finding = hotSpotFinding('hot-sync-call', spot, readings, {
      work: `${api}${calledAt(spot)}`, part: apiOf(spot.culprit.call) === null ? spot.sync?.share : spot.calledShare, why, instead: dependencyOf(spot.culprit) === null ? instead : asynchronousIn(spot, instead), evidence: { api, documentation: link }
    })
    return { ...finding, next: [`npx loopscope sync ${readings.pid}`] }
  }
}

/**
 * The application cannot change what a package calls, only what it calls itself.
 * @param {HotSpot} spot
 * @param {string} instead  of the call in the package
 */
function asynchronousIn (spot, instead) {
  const name = packageName(spot)
  if (spot.culprit.via?.function.endsWith('Sync')) return insteadOf(name, null, spot.culprit.via, spot.text)
  return `use an asynchronous function of ${name} if it has one; otherwise keep its result if it does not change, or move the call to worker_threads. In ${name} itself: ${instead}`
}

const CLONE = /\bJSON\.parse\( *JSON\.stringify\(/
/** JSON.parse() and JSON.stringify() of large data. @type {HotDetector} */
const json = {
  id: 'hot-json',
  enough: ENOUGH.json,
  describe (spot, readings) {
    const name = jsonOn(spot) ?? spot.culprit.call ?? ''
    const api = name.startsWith('JSON.') ? name : `JSON.${name}`
    const { why, instead } = CLONE.test(spot.text) ? COPY : adviceOf(api)
    const at = awaitedAt(spot, readings)
    const work = `${api}${calledAt(spot)}${at === null ? '' : `, awaited in ${placed(at.line)}`}`
    const finding = hotSpotFinding('hot-json', spot, readings, { work, part: spot.calledShare, why, instead, evidence: { api } })
    return at === null ? finding : { ...finding, where: placeOf(at) }
  }
}

/**
 * The line of the application that awaits most of what a function of Node's does for it, such as json() of a response.
 * @param {HotSpot} spot
 * @param {Readings} readings
 */
function awaitedAt ({ culprit: { file }, route }, readings) {
  if (!file.startsWith('node:')) return null
  const isMeant = (/** @type {{ awaited: string | null }} */ { awaited }) => awaited !== null && awaited === publicModuleOf(file)
  const isHere = (/** @type {{ route: string }} */ at) => route === null || at.route === route
  return linesOf(readings, isMeant).find(isHere) ?? seenAwait(readings, isMeant, isHere)
}

/**
 * A few sampled requests do not tell how long requests wait at a line, but that they await there what else is known to take the time.
 * @param {Readings} readings
 * @param {(line: RouteLine['line']) => boolean} isMeant
 * @param {(at: { route: string }) => boolean} isHere
 */
function seenAwait ({ waits = [] }, isMeant, isHere) {
  const seen = waits.filter(isHere).flatMap(({ route, lines }) => lines.filter(isMeant).map(line => ({ route, line })))
  return seen.sort((left, right) => right.line.ms - left.line.ms)[0] ?? null
}

// A faster clock would change nothing.
const WAITING = Object.freeze({
  why: 'a loop that reads the clock until some time has passed does no work, and nothing else can run meanwhile',
  instead: 'wait with a timer: setTimeout, or `await setTimeout(ms)` of node:timers/promises'
})

/**
 * Reading the time of day in a hot path, or waiting for it in a loop. V8 has no frame for it: it is recognized by the source lines.
 * @type {HotDetector}
 */
const clock = {
  id: 'hot-clock',
  enough: ENOUGH.clock,
  describe (spot, readings) {
    const { culprit, waitLoop } = spot
    const isLoop = isWaiting(spot)
    const { why, instead } = isLoop ? WAITING : adviceOf('Date.now')
    const isHere = waitLoop === null || waitLoop.function === culprit.function
    const work = `${isLoop ? 'a loop that waits for the clock' : 'a line that reads the clock'}: ${placed(culprit)}${!isLoop || isHere ? '' : `, called in ${placed(waitLoop)}`}`
    const finding = hotSpotFinding('hot-clock', spot, readings, { work, why, instead })
    return { ...finding, confidence: 'medium' }
  }
}

/** JavaScript of a dependency, with the function of the application that called it. @type {HotDetector} */
const dependency = {
  id: 'hot-dependency',
  enough: ENOUGH.dependency,

  // Several functions of the application may call one package, none of them with enough time to be reported alone.
  join (hotSpots, readings) {
    const packages = [...new Set(hotSpots.map(packageName))]
    const all = packages.flatMap(name => {
      const group = withContinuations(withCallbacks(hotSpots.filter(spot => packageName(spot) === name)))
      return group.length === 1 || group.some(spot => isWorth(spot, readings, ENOUGH.dependency)) ? group : [joined(group)]
    })
    return withTheirDependencies(all, readings)
  },

  describe (spot, readings) {
    const name = packageName(spot)
    const builtin = isExpression(spot.culprit.call, '') || CLONES.test(spot.culprit.call ?? '') ? builtinOf({ ...spot, text: '' }) : null
    const awaited = builtin === null && !isRouting(spot, name) ? awaitedCallOf(spot, readings) : null
    if (awaited !== null) return awaitedFinding(spot, readings, awaited)
    return hotSpotFinding('hot-dependency', spot, readings, {
      work: `${builtin === null ? '' : `${builtin.name} in `}the package ${enteredBy(spot, name)}`,
      part: spot.calledShare,
      ...(isRouting(spot, name) ? ROUTING : { why: builtin?.why ?? `${name} computes on the event loop, and everything else waits until it is done`, instead: insteadOf(name, builtin, spot.culprit.via, spot.text) }),
      evidence: { package: name, ...(spot.culprit.via?.through && { through: spot.culprit.via.through.package }) }
    })
  }
}

const MIN_AWAITED_SHARE = 0.3
// Of the time of its dependency: what does less may do something else.
const MIN_OUTER = 1 / 3
const NEARLY_ALL = 0.9

/**
 * What a package does later, in callbacks of streams and timers, has no function of the application on its stack. Where requests of the route await
 * that package, or one that depends on it, they called it.
 * @param {HotSpot} spot
 * @param {Readings} readings
 * @returns {RouteLine | null}
 */
function awaitedCallOf ({ culprit: { file }, route, routes }, readings) {
  if (!isInPackage(file)) return null
  const isCall = (/** @type {string | null} */ name) => name !== null && (name === packageOf(file) || readings.dependsOn?.(`node_modules/${name}/`, packageOf(file)) === true)
  // What it awaits may be a helper of the package, such as one that calls again.
  const awaits = linesOf(readings, ({ awaited, via }) => isCall(awaited) || isCall(via))
  if (route !== null) return awaits.find(at => at.route === route && at.share >= MIN_AWAITED_SHARE) ?? null
  // Callbacks of native code often have no request. Where nearly all of the waiting for the package is at one line, they are for that one.
  const isUnknown = routes[0]?.route === null
  return isUnknown && awaits.length > 0 && awaits[0].seconds >= sum(awaits, ({ seconds }) => seconds) * NEARLY_ALL ? awaits[0] : null
}

/** @param {HotSpot} spot @param {Readings} readings @param {RouteLine} at */
function awaitedFinding (spot, readings, at) {
  const inner = packageOf(spot.culprit.file)
  const name = at.line.via === inner ? inner : String(at.line.awaited)
  const finding = hotSpotFinding('hot-dependency', spot, readings, {
    work: `the package ${name}${name === inner ? '' : `, through ${inner}`}, awaited in ${placed(at.line)}`,
    why: `${name} computes on the event loop, and everything else waits until it is done`,
    instead: insteadOf(name, null, { through: { package: inner } }),
    evidence: { package: name, ...(name !== inner && { through: inner }) }
  })
  const via = { package: name, function: '(anonymous)', through: name === inner ? null : { package: inner, function: '(anonymous)' } }
  return { ...finding, where: finding.where && { ...finding.where, ...placeOf(at), via } }
}

const ROUTERS = new Set(['path-to-regexp', 'router', 'express', '@koa/router', 'koa-router'])
const MATCHES = /^(match|matchLayer|match_layer|next|exec)$|\.(match|exec)$/
const ROUTING = Object.freeze({
  why: 'the router tries one route after the other until one matches, so a request pays for all routes that stand before its own',
  instead: 'mount the routes of each prefix as a router of their own, put the routes that are asked for most first, or use a router that searches a tree (find-my-way, as in Fastify)'
})

/** @param {HotSpot} spot @param {string} name  of its package */
function isRouting ({ culprit: { function: own, via } }, name) {
  return ROUTERS.has(name) && MATCHES.test(via?.function ?? own)
}

/**
 * @param {string} name  of a package
 * @param {Builtin | null} builtin  that took the time in it
 * @param {{ function?: string, through?: { package: string } | null } | null} [entered]  the function of the package that was called, and what did the work for it
 * @param {string} [text]  of the line that calls it
 */
function insteadOf (name, builtin, entered = null, text = '') {
  const faster = fasterThan(entered?.through?.package ?? name, name)
  if (builtin === null && faster !== null) return faster
  const entrance = entered?.function ?? ''
  // Where the application calls it by another name, that is the package's own: there need not be an asynchronous one.
  if (builtin === null && entrance.endsWith('Sync') && (text === '' || text.includes(entrance))) {
    return `await ${entrance.slice(0, -'Sync'.length)}(), the asynchronous variant: native code then runs in another thread, JavaScript in smaller parts; or move the call to worker_threads`
  }
  if (builtin === null && Object.hasOwn(MAPPERS, name)) return plainObjectsOf(name)
  if (builtin === null) return `call it less often or with less data (a cache, a limit, pagination), use an asynchronous or native variant of ${name} if there is one, or move the call to worker_threads`
  if (builtin.instead !== EXPRESSION.instead) return builtin.instead
  return `limit the length of the input to ${name} and validate it first, pass a fixed format if it accepts one, or update it: the regular expression is part of ${name}`
}

/** @param {HotSpot} spot @param {string} name  of its package */
function enteredBy ({ culprit, places = [placed(culprit)] }, name) {
  const { via } = culprit
  if (via === null || isInPackage(culprit.file)) return `${name}${through(culprit)}`
  return `${places.length === 1 ? entranceOf(via) : name}${through(culprit)}, called in ${places.slice(0, MAX_PLACES).join(', ')}`
}

/**
 * What a package does later for a call of the application (in timers, after an await) has nobody's line: it belongs to the call on its route.
 * @param {HotSpot[]} hotSpots  of one package, heaviest first
 */
function withContinuations (hotSpots) {
  const routes = [...new Set(hotSpots.map(({ route }) => route))]
  return routes.flatMap(route => {
    const ofRoute = hotSpots.filter(spot => spot.route === route)
    const later = ofRoute.filter(({ culprit }) => isInPackage(culprit.file))
    const calls = ofRoute.filter(spot => !later.includes(spot))
    // Of several calls it is not known which one goes on.
    return calls.length === 1 && later.length > 0 ? [joined([...calls, ...later])] : ofRoute
  }).sort((left, right) => right.ms - left.ms)
}

/**
 * A package and one that it depends on, which both work hard for one route, are one problem, of the package that the application knows: without a
 * function of the application on their stacks they call each other; or the one calls back a function of the application that calls the other (react-dom
 * a component, which calls react).
 * @param {HotSpot[]} hotSpots
 * @param {Readings} readings
 */
function withTheirDependencies (hotSpots, { dependsOn }) {
  const isDependency = (/** @type {HotSpot} */ outer, /** @type {HotSpot} */ inner) => {
    return dependsOn?.(isInPackage(outer.culprit.file) ? outer.culprit.file : `node_modules/${packageName(outer)}/`, packageName(inner)) === true
  }
  const isTogether = (/** @type {HotSpot} */ outer, /** @type {HotSpot} */ inner) => isInPackage(inner.culprit.file)
    ? isInPackage(outer.culprit.file) && outer.ms >= inner.ms * MIN_OUTER
    : inner.within?.includes(packageName(outer)) === true && !isInPackage(outer.culprit.file)
  const outerOf = (/** @type {HotSpot} */ spot) => spot.route === null
    ? undefined
    : hotSpots.find(outer => outer !== spot && outer.route === spot.route && isTogether(outer, spot) && !DISPATCHERS.has(packageName(outer)) && isDependency(outer, spot))
  const ownerOf = (/** @type {HotSpot} */ spot) => {
    const outer = outerOf(spot)
    return outer === undefined || outerOf(outer) !== undefined ? spot : outer
  }
  return [...groupBy(hotSpots, ownerOf)].map(([outer, group]) => {
    const [inner] = group.filter(spot => spot !== outer)
    if (inner === undefined) return outer
    const { culprit } = outer
    const through = { package: packageName(inner), function: (inner.culprit.via ?? inner.culprit).function }
    const entered = isInPackage(culprit.file) || culprit.via === null ? { package: packageName(outer), function: culprit.function } : culprit.via
    return { ...joined([outer, ...group.filter(spot => spot !== outer)]), ...(!isInPackage(culprit.file) && { places: outer.places }), culprit: { ...culprit, via: { ...entered, through } } }
  }).sort((left, right) => right.ms - left.ms)
}

/**
 * A package calls back a function that the application passes to it, and that function may call the package as well (a draft, a builder): all of it
 * is the call of the function in which the callback is written.
 * @param {HotSpot[]} hotSpots  of one package, heaviest first
 */
function withCallbacks (hotSpots) {
  const writer = (/** @type {HotSpot} */ { culprit, route }) => culprit.function !== '(anonymous)' || isInPackage(culprit.file)
    ? undefined
    : hotSpots
      .filter(({ culprit: one, route: own }) => own === route && one.file === culprit.file && one.function !== '(anonymous)' && one.functionLine <= culprit.functionLine)
      .toSorted((left, right) => right.culprit.functionLine - left.culprit.functionLine)[0]
  return [...groupBy(hotSpots, spot => writer(spot) ?? spot).values()].map(group => group.length === 1 ? group[0] : joined(group))
}

/**
 * @param {HotSpot[]} hotSpots  of one package; the first one gives the place
 * @returns {HotSpot}
 */
function joined (hotSpots) {
  const [heaviest] = hotSpots
  return {
    ...heaviest,
    ms: sum(hotSpots, ({ ms }) => ms),
    ownMs: sum(hotSpots, ({ ownMs }) => ownMs),
    share: sum(hotSpots, ({ share }) => share),
    calledShare: sum(hotSpots, ({ ms, calledShare }) => ms * calledShare) / sum(hotSpots, ({ ms }) => ms),
    samples: sum(hotSpots, ({ samples }) => samples),
    sinceMs: Math.min(...hotSpots.map(({ sinceMs }) => sinceMs)),
    route: hotSpots.every(({ route }) => route === heaviest.route) ? heaviest.route : null,
    stalls: {
      count: sum(hotSpots, ({ stalls }) => stalls.count),
      ms: sum(hotSpots, ({ stalls }) => stalls.ms),
      longestMs: Math.max(...hotSpots.map(({ stalls }) => stalls.longestMs)),
      lines: []
    },
    routes: byRoute(hotSpots.flatMap(({ routes }) => routes)),
    places: hotSpots.filter(({ culprit }) => !isInPackage(culprit.file)).map(({ culprit }) => placed(culprit))
  }
}

/** @param {HotSpot['routes']} parts @returns {HotSpot['routes']} each route once, heaviest first */
function byRoute (parts) {
  return [...sumBy(parts, ({ route }) => route, ({ share }) => share)].map(([route, share]) => ({ route, share })).sort((left, right) => right.share - left.share)
}

/** @param {HotSpot} spot */
function packageName ({ culprit }) {
  return dependencyOf(culprit) ?? culprit.file
}

/** Those of Node's own first. @param {HotSpot[]} hotSpots */
function ownFirst (hotSpots) {
  return hotSpots.toSorted((left, right) => Number(right.culprit.file.startsWith('node:')) - Number(left.culprit.file.startsWith('node:')))
}

/**
 * The work of web streams: at the line that awaits them, else at the callback of the application that they call most.
 * @param {HotSpot} spot
 * @param {Readings} readings
 */
function streamFinding (spot, readings) {
  const at = awaitedAt(spot, readings)
  const [calling] = spot.places?.filter(place => !place.startsWith(spot.culprit.function)) ?? []
  const where = at !== null ? `, awaited in ${placed(at.line)}` : calling === undefined ? '' : `, which call ${calling}`
  const finding = hotSpotFinding('hot-function', spot, readings, { ...SMALL_CHUNKS, work: `the web streams of Node.js${where}`, evidence: { module: publicModuleOf(spot.culprit.file) } })
  return { ...finding, where: at === null ? null : placeOf(at) }
}

const CALLED_AGAIN = 'call them less often: keep what they return where it does not change, or ask once in some seconds (a timer) and use that for all requests'

/** JavaScript of the application. @type {HotDetector} */
const ownFunction = {
  id: 'hot-function',
  enough: ENOUGH.function,
  // Of the work of web streams for a chunk, a part is below the callbacks of the application, and another below nothing of it.
  join (hotSpots) {
    const apart = hotSpots.filter(({ isStreaming, culprit }) => isStreaming && culprit.file.startsWith('node:'))
    const streaming = (/** @type {HotSpot} */ spot) => apart.find(({ route }) => spot.isStreaming && (route === null || spot.route === route))
    return [...groupBy(hotSpots, spot => streaming(spot) ?? spot).values()].map(group => group.length === 1 ? group[0] : joined(ownFirst(group)))
  },

  describe (spot, readings) {
    const { culprit, inPackage, converter, isStreaming, nodeCalls = [] } = spot
    if (isStreaming && culprit.file.startsWith('node:')) return streamFinding(spot, readings)
    if (isStreaming) return hotSpotFinding('hot-function', spot, readings, { ...SMALL_CHUNKS, work: `${placed(culprit)}, most of it in the streams of Node.js that it passes chunks to` })
    const { why, instead, name } = builtinOf(spot)
    const place = placed(culprit)
    // Of one, the line of its call may say more.
    if (name === null && nodeCalls.length > 1 && converter === null) {
      return hotSpotFinding('hot-function', spot, readings, { why, instead: CALLED_AGAIN, work: `${place}, most of it in ${nodeCalls.map(call => `${call}()`).join(', ')} of Node.js` })
    }
    const details = name === null && inPackage !== null && converter === null
      ? { work: `${place}, most of it in the package ${inPackage}`, instead: insteadOf(inPackage, null) }
      : { work: name === null ? place : `${name}, called in ${place}`, part: name === null ? 1 : spot.calledShare, instead }
    return hotSpotFinding('hot-function', spot, readings, { why, ...details })
  }
}

/** @type {readonly HotDetector[]} */
const KINDS = Object.freeze([syncCall, json, clock, dependency, ownFunction])

/** @type {readonly Detector[]} */
const HOT_DETECTORS = Object.freeze([logging, ...KINDS.map(toDetector)])

/**
 * What has most of the work, where no code is to blame: for those who want to use less CPU anyway.
 * @param {Readings} readings
 * @returns {Pick<Finding, 'title' | 'instead'> | null}  instead: '' where it would not help much
 */
function mostOfWork (readings) {
  const { share, ms, samples } = loggingOf(readings)
  const all = [
    { share, ownMs: ms, samples, describe: () => describeLogging(readings) },
    ...KINDS.flatMap(kind => hotSpotsOf(readings, kind).map(spot => ({ ...spot, describe: () => kind.describe(spot, readings) })))
  ]
  const found = all.sort((left, right) => right.share - left.share).find(({ samples, share }) => samples >= MIN_SAMPLES && share >= NOTABLE.ofBusy)
  if (found === undefined) return null
  const { title, instead } = found.describe()
  const isMost = found.share >= NOTABLE.most && ranShare(readings) * found.ownMs >= observedMsOf(readings) * NOTABLE.ofTime
  return { title, instead: isMost && !mayHaveWaited(readings) ? instead : '' }
}

module.exports = { HOT_DETECTORS, mostOfWork }
