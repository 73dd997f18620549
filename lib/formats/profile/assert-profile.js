'use strict'

// Checks that a V8 CPU profile is safe to walk: one tree, every sample in it, one time for every sample; and one route and one process per sample, if
// it has any.

const { errors } = require('../../base/errors')

/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */

/** @param {string} where @param {string} wanted @param {unknown} got @returns {never} */
function reject (where, wanted, got) {
  throw new errors.ERR_LOOPSCOPE_INVALID_PROFILE(where, wanted, got)
}

/** @param {any} profile @returns {asserts profile is CpuProfile} */
function assertCpuProfile (profile) {
  if (profile === null || typeof profile !== 'object') reject('profile', 'an object', profile)
  for (const key of ['nodes', 'samples', 'timeDeltas']) {
    if (!Array.isArray(profile[key])) reject(`profile.${key}`, 'an array', typeof profile[key])
  }
  for (const key of ['startTime', 'endTime']) {
    if (!Number.isFinite(profile[key])) reject(`profile.${key}`, 'microseconds', profile[key])
  }
  const byId = indexNodes(profile.nodes)
  assertOneTree(profile.nodes, byId)
  assertSamples(profile, byId)
  const { routes, processes, workLines = [], samples } = profile
  if (!Array.isArray(workLines) || !workLines.every(hasShapeOfWorkLine)) reject('profile.workLines', 'lines of { function, file, functionLine, line, column }', workLines)
  if (routes !== undefined) assertLabels('routes', routes, samples.length)
  if (processes === undefined) return
  assertLabels('processes', processes, samples.length)
  if (!Number.isFinite(processes.wallMicros)) reject('profile.processes.wallMicros', 'microseconds', processes.wallMicros)
}

/** @param {any[]} nodes @returns {Map<number, ProfileNode>} */
function indexNodes (nodes) {
  const byId = new Map()
  for (const node of nodes) {
    if (!hasShapeOfNode(node)) reject('profile.nodes', 'nodes of { id, callFrame }', node)
    if (byId.has(node.id)) reject('profile.nodes', 'every id once', `${node.id} twice`)
    byId.set(node.id, node)
  }
  return byId
}

/** @param {any} node */
function hasShapeOfNode (node) {
  const frame = node?.callFrame
  return Number.isInteger(node?.id) && typeof frame?.functionName === 'string' && typeof frame.url === 'string' &&
    Number.isInteger(frame.lineNumber) && Number.isInteger(frame.columnNumber) &&
    isArrayIfGiven(node.children) && isArrayIfGiven(node.positionTicks) && (node.positionTicks ?? []).every(hasShapeOfTicks) &&
    (node.hitCount === undefined || Number.isFinite(node.hitCount))
}

/** @param {any} ticks */
function hasShapeOfTicks (ticks) {
  return Number.isInteger(ticks?.line) && Number.isFinite(ticks.ticks)
}

/** @param {any} line */
function hasShapeOfWorkLine (line) {
  return typeof line?.function === 'string' && typeof line.file === 'string' && [line.functionLine, line.line, line.column].every(number => Number.isInteger(number) && number >= 0)
}

/** @param {unknown} value */
function isArrayIfGiven (value) {
  return value === undefined || Array.isArray(value)
}

/**
 * A node has one parent and one node has none; what then cannot be reached from that one hangs in a cycle.
 * @param {ProfileNode[]} nodes
 * @param {Map<number, ProfileNode>} byId
 */
function assertOneTree (nodes, byId) {
  const childIds = new Set()
  for (const node of nodes) {
    for (const id of node.children ?? []) {
      if (!byId.has(id)) reject(`profile.nodes: node ${node.id}`, 'children among the nodes', `the child ${id}`)
      if (childIds.has(id)) reject(`profile.nodes: node ${id}`, 'one parent', 'two')
      childIds.add(id)
    }
  }
  const roots = nodes.filter(node => !childIds.has(node.id))
  if (roots.length !== 1) reject('profile.nodes', 'one root', roots.length)
  const reached = [roots[0]]
  for (const node of reached) {
    for (const id of node.children ?? []) reached.push(/** @type {ProfileNode} */ (byId.get(id)))
  }
  if (reached.length !== nodes.length) reject('profile.nodes', 'a tree', 'a cycle')
}

/** @param {CpuProfile} profile @param {Map<number, ProfileNode>} byId */
function assertSamples ({ samples, timeDeltas }, byId) {
  if (samples.length !== timeDeltas.length) {
    reject('profile.timeDeltas', `one for each of ${samples.length} samples`, timeDeltas.length)
  }
  for (const id of samples) {
    if (!byId.has(id)) reject('profile.samples', 'ids of nodes', id)
  }
  for (const delta of timeDeltas) {
    if (!Number.isFinite(delta)) reject('profile.timeDeltas', 'microseconds', delta)
  }
}

/** @param {'routes' | 'processes'} name @param {any} labels @param {number} sampleCount */
function assertLabels (name, labels, sampleCount) {
  const { names, samples } = labels ?? {}
  const where = `profile.${name}`
  if (!Array.isArray(names) || !names.every(one => typeof one === 'string')) reject(`${where}.names`, 'an array of texts', names)
  if (new Set(names).size !== names.length) reject(`${where}.names`, 'every one once', 'one twice')
  if (!Array.isArray(samples)) reject(`${where}.samples`, 'an array', typeof samples)
  if (samples.length !== sampleCount) reject(`${where}.samples`, `one for each of ${sampleCount} samples`, samples.length)
  for (const index of samples) {
    if (!Number.isInteger(index) || index < -1 || index >= names.length) {
      reject(`${where}.samples`, `-1 for none, or the number of one of the ${names.length} names`, index)
    }
  }
}

module.exports = { assertCpuProfile }
