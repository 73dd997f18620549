'use strict'

// Finds synchronous calls in a CPU profile: nothing is patched, so calls through destructured names, ES module imports and dependencies are found
// like any other. Pure. Calls that V8 inlines or has no frame for (Date.now, JSON.parse) are not visible.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { OWN_FOLDER, WRAPPER_NAME } = require('../../base/own-files')
const { isSynchronous, synchronousApi } = require('../../formats/profile/node-api')
const { idleIds, parentsOf } = require('../../formats/profile/nodes')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

/**
 * @typedef {object} SampledCall
 * @property {string} api       e.g. 'crypto.pbkdf2Sync'
 * @property {CallFrame} caller  the first frame above it that is not Node's own
 * @property {number} micros
 * @property {Map<string, number>} routes  micros by route, as far as the samples have one
 */

const NODE_SCHEME = 'node:'
// The wrappers of the exact detector are between a call and its caller.
const FOLDER = OWN_FOLDER + path.join('probe', 'sync-calls', path.sep)
const OWN = [FOLDER, pathToFileURL(FOLDER).href]

/**
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
    if (found !== null) add(calls, found, micros, routeOf(profile, index))
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

/**
 * @param {ProfileNode[]} nodes
 * @returns {(id: number) => { api: string, caller: CallFrame } | null}
 */
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

/**
 * @param {CpuProfile} profile
 * @param {number} index  of a sample
 */
function routeOf ({ routes }, index) {
  return routes?.names[routes.samples[index]] ?? null
}

module.exports = { findSampledCalls, siteKey }
