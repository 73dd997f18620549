'use strict'

// Collects the synchronous calls that the recorder's windows have shown since start, by API and caller: their time, their share of the busy time,
// their routes and what to call instead. Notable ones are flagged, and logged once an hour.

const { pathToFileURL } = require('node:url')
const { unattended } = require('../../base/guard')
const { exactParts, roundedSum } = require('../../base/sums')
const { monotonicMs } = require('../../base/monotonic')
const { toCodeFrame } = require('../../formats/profile/frame')
const { createWorkLineOf } = require('../../formats/profile/work-lines')
const { FlagLog, Flags } = require('../../shared/sync-calls/flags')
const { MAX_ROUTES, sumByRoute } = require('../../shared/sync-calls/totals')
const { WRAPPERS_FOLDER, WRAPPER_NAME } = require('../../base/own-files')
const { isSynchronous, synchronousApi } = require('../../formats/profile/node-api')
const { idleIds, metaFrame, parentsOf } = require('../../formats/profile/nodes')

/** @import { SampledSyncCall } from '../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile, ProfileNode, WorkLine } from '../../../types/profile' */
/** @import { SourceMaps } from '../../source-maps/source-maps' */

const MAX_SITES = 500
const OTHER = '_other'
const OTHER_CALLER = metaFrame(OTHER)

// At 100 samples a second this is five samples a second: less could be chance.
const FLAG_MS_PER_SECOND = 50
// A requested window may be much shorter than one that ends by itself.
const MIN_FLAG_PERIOD_MS = 1000
const NODE_SCHEME = 'node:'
// The wrappers of the exact detector are between a call and its caller.
const OWN = [WRAPPERS_FOLDER, pathToFileURL(WRAPPERS_FOLDER).href]

class SampledCalls {
  #parts
  #now
  #flags = new Flags({ msPerSecond: FLAG_MS_PER_SECOND, callsPerSecond: Infinity })
  #flagLog
  #flaggedAtMs = -Infinity
  /** Bounded; later sites are counted in one more site, _other. @type {Map<string, SampledSite>} */
  #sites = new Map()
  #busyMicros = 0

  /**
   * @param {object} parts
   * @param {string} parts.appRoot
   * @param {boolean} parts.hasExactCalls  the exact detector runs too: its figures are better, so its flags are the ones logged
   * @param {Pick<SourceMaps, 'known' | 'frames'>} parts.sourceMaps
   * @param {() => WorkLine[]} parts.workLines  from stalls: samples show where a function begins, stalls the line that was running
   * @param {(fields: object, message: string) => void} parts.warn
   * @param {() => number} [parts.now]  milliseconds, monotonic
   */
  constructor ({ now = monotonicMs, ...parts }) {
    this.#parts = parts
    this.#now = now
    this.#flagLog = new FlagLog(parts)
  }

  /**
   * @param {CpuProfile} window  with the routes of its samples
   * @returns {{ busyMicros: number, idleMicros: number }} the busy and idle time of the window
   */
  addWindow (window) {
    const { calls, busyMicros } = findSampledCalls(window)
    this.#busyMicros += busyMicros
    for (const { api, caller, micros, routes } of calls) this.#siteOf(api, caller).add(micros, routes)
    // Positions are resolved now, so that they are available for readers.
    unattended(this.#parts.sourceMaps.frames([...this.#sites.values()].map(({ caller }) => caller)))
    this.#flag()
    return { busyMicros, idleMicros: window.endTime - window.startTime - busyMicros }
  }

  /** @returns {SampledSyncCall[]} heaviest first */
  read () {
    return this.#show([...this.#sites.values()]).sort((left, right) => right.ms - left.ms)
  }

  /** For the metrics: cumulative, by API and route. */
  counts () {
    const sites = [...this.#sites.values()].map(({ api, routes }) => ({ api, routes }))
    return { sampled: sumByRoute(sites), flagged: this.#flagLog.counts() }
  }

  #flag () {
    const nowMs = this.#now()
    if (nowMs - this.#flaggedAtMs < MIN_FLAG_PERIOD_MS) return
    this.#flaggedAtMs = nowMs
    const due = this.#flags.tick([...this.#sites.values()], nowMs)
    if (this.#parts.hasExactCalls) return
    for (const call of this.#show(due)) this.#flagLog.add(call, `${Math.round(call.share * 100)} % of the busy time so far`)
  }

  /** @param {SampledSite[]} sites @returns {SampledSyncCall[]} */
  #show (sites) {
    const { appRoot, sourceMaps, workLines } = this.#parts
    const workLineOf = createWorkLineOf(workLines())
    const callers = sourceMaps.known(sites.map(({ caller }) => caller))
    return sites.map(({ api, micros, routes, flagged }, index) => ({
      api,
      callSite: toCodeFrame(callers[index], appRoot, workLineOf),
      ms: micros / 1e3,
      share: this.#busyMicros === 0 ? 0 : micros / this.#busyMicros,
      routes,
      flagged,
      advice: require('../../shared/sync-calls/advice').adviceOf(api) // loaded with the first one
    }))
  }

  /** @param {string} api @param {CallFrame} caller @returns {SampledSite} */
  #siteOf (api, caller) {
    const key = siteKey(api, caller)
    const known = this.#sites.get(key) ?? (this.#sites.size < MAX_SITES ? undefined : this.#sites.get(OTHER))
    if (known !== undefined) return known
    const isLast = this.#sites.size === MAX_SITES - 1
    const site = isLast ? new SampledSite(OTHER, OTHER_CALLER) : new SampledSite(api, caller)
    this.#sites.set(isLast ? OTHER : key, site)
    return site
  }
}

/** One API called by one function: how long, on which routes, and how much of it is new. */
class SampledSite {
  target = { isCounted: false }
  flagged = false
  micros = 0
  #takenMicros = 0
  /** @type {Map<string, number>} */
  #routes = new Map()

  /** @param {string} api @param {CallFrame} caller */
  constructor (api, caller) {
    this.api = api
    this.caller = caller
  }

  /** @param {number} micros @param {SampledCall['routes']} routes */
  add (micros, routes) {
    this.micros += micros
    for (const [route, routeMicros] of routes) {
      const name = this.#routes.has(route) || this.#routes.size < MAX_ROUTES ? route : OTHER
      this.#routes.set(name, (this.#routes.get(name) ?? 0) + routeMicros)
    }
  }

  /** @returns {number} milliseconds since the last call */
  takeRecent () {
    const micros = this.micros - this.#takenMicros
    this.#takenMicros = this.micros
    return micros / 1e3
  }

  /** Heaviest first. @returns {{ route: string | null, ms: number }[]} */
  get routes () {
    const known = [...this.#routes].map(([route, micros]) => ({ route: /** @type {string | null} */ (route), ms: micros / 1e3 }))
    const restMs = (this.micros - roundedSum(exactParts([...this.#routes.values()]))) / 1e3
    // For code that ran after an await or outside requests the samples have no route.
    const rest = restMs >= 1 ? [{ route: null, ms: restMs }] : []
    return [...known, ...rest].sort((left, right) => right.ms - left.ms)
  }
}

/**
 * @typedef {object} SampledCall
 * @property {string} api       e.g. 'crypto.pbkdf2Sync'
 * @property {CallFrame} caller  the first frame above it that is not Node's own
 * @property {number} micros
 * @property {Map<string, number>} routes  micros by route, as far as the samples have one
 */

/**
 * Finds synchronous calls in a CPU profile: nothing is patched, so calls through destructured names, ES module imports and dependencies are found
 * like any other. Pure. Calls that V8 inlines or has no frame for (Date.now, JSON.parse) are not visible.
 * @param {CpuProfile} profile
 * @returns {{ calls: SampledCall[], busyMicros: number }} busyMicros: all time that was not idle
 */
function findSampledCalls (profile) {
  const callOf = createCallFinder(profile.nodes)
  const idle = idleIds(profile.nodes)
  /** @type {Map<string, SampledCall>} */
  const calls = new Map()
  let busyMicros = 0
  profile.samples.forEach((id, index) => {
    const micros = profile.timeDeltas[index]
    if (!idle.has(id)) busyMicros += micros
    const found = callOf(id)
    if (found !== null) add(calls, found, micros, profile.routes?.names[profile.routes.samples[index]] ?? null)
  })
  return { calls: [...calls.values()], busyMicros }
}

/**
 * @param {Map<string, SampledCall>} calls
 * @param {{ api: string, caller: CallFrame }} found
 * @param {number} micros
 * @param {string | null} route
 */
function add (calls, { api, caller }, micros, route) {
  const key = siteKey(api, caller)
  const call = calls.get(key) ?? { api, caller, micros: 0, routes: new Map() }
  calls.set(key, call)
  call.micros += micros
  if (route !== null) call.routes.set(route, (call.routes.get(route) ?? 0) + micros)
}

/**
 * @param {string} api
 * @param {CallFrame} caller
 * @returns {string} a key that is the same for a call site in every window
 */
function siteKey (api, { url, lineNumber, columnNumber }) {
  return `${api} ${url}:${lineNumber}:${columnNumber}`
}

/** @param {ProfileNode[]} nodes @returns {(id: number) => { api: string, caller: CallFrame } | null} */
function createCallFinder (nodes) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = parentsOf(nodes)
  /** @type {Map<number, { api: string, caller: CallFrame } | null>} */
  const known = new Map()
  return id => {
    if (!known.has(id)) known.set(id, findCall(id, byId, parents))
    return known.get(id) ?? null
  }
}

/**
 * Goes up from the leaf to the first frame that is not Node's own: the function that it called is the API, if something synchronous
 * ran in it.
 * @param {number} leaf
 * @param {Map<number, ProfileNode>} byId
 * @param {Map<number, number>} parents
 */
function findCall (leaf, byId, parents) {
  let isSync = false
  let entry = null
  for (let id = /** @type {number | undefined} */ (leaf); id !== undefined; id = parents.get(id)) {
    const { callFrame } = /** @type {ProfileNode} */ (byId.get(id))
    if (callFrame.url.startsWith(NODE_SCHEME)) {
      isSync ||= isSynchronous(callFrame.functionName)
      entry = callFrame
    } else if (callFrame.url !== '' && !isOwn(callFrame)) {
      if (entry === null) return null
      const api = synchronousApi({ name: entry.functionName, file: entry.url }, isSync)
      return api === null ? null : { api, caller: callFrame }
    }
  }
  return null // code of Node.js that runs before the application
}

/** @param {CallFrame} callFrame */
function isOwn ({ functionName, url }) {
  return functionName === WRAPPER_NAME || OWN.some(folder => url.startsWith(folder))
}

module.exports = { findSampledCalls, SampledCalls }
